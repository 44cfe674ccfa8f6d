#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// One reading of a space for a device: the next versions, as many as go into one batch, and the summary rows
    /// behind them.
    final class PostgreSQLPage {
        private let request: RelayReadRequest
        private let space: PostgreSQLValue
        private let relay: PostgreSQLValue
        private let byteCountMax: Int
        /// The hashes of versions that have another one than they came with, by arrival number.
        private(set) var damage: [UInt64: UInt128] = [:]
        private var sequences: [UInt64] = []

        /// The most versions that are asked for: one more than go into a batch, to know whether any is left.
        private static let countMax = WireLimits.changesPerBatchMax + 1

        init(_ request: RelayReadRequest, of key: RelaySpaceKey, _ limits: RelayLimits) {
            self.request = request
            space = .identifier(key.space.value)
            relay = .identifier(key.relay.value)
            byteCountMax = limits.batchByteCountMax
        }

        /// The stretches of numbers that are to be read: without those that the device sent itself.
        private var gaps: [PostgreSQLValue] {
            var (lows, highs): ([UInt64], [UInt64]) = ([], [])
            var next = request.start + 1
            for stretch in request.own.sorted(by: { $0.lowerBound < $1.lowerBound })
            where stretch.upperBound >= next {
                if stretch.lowerBound > next {
                    lows.append(next)
                    highs.append(stretch.lowerBound - 1)
                }
                next = stretch.upperBound + 1
            }
            lows.append(next)
            highs.append(UInt64(Int64.max))
            return [.unsigneds(lows), .unsigneds(highs)]
        }

        /// The first statements: the space, versions, and those that could not be opened.
        var queries: [PostgreSQLQuery] {
            let gaps = gaps
            return [
                PostgreSQLSpaceState.reading(space),
                PostgreSQLQuery(
                    statement: PostgreSQLReading.page,
                    parameters: [relay] + gaps
                        + [.number(Int64(Self.countMax)), .number(Int64(byteCountMax))]),
                PostgreSQLQuery(
                    statement: PostgreSQLReading.unreadable,
                    parameters: [relay] + gaps
                        + [.number(Int64(WireLimits.unreadableCountMax + 1))]),
            ]
        }

        /// Reads the answers, and the summary rows if nothing is left.
        func read(
            _ state: PostgreSQLSpaceState, _ answers: [PostgreSQLRows], _ server: String
        ) throws(StoreFault) -> PostgreSQLStep<RelayReading> {
            damage = [:]
            sequences = []
            var reading = try versions(state, answers[1], server: server)
            try addUnreadable(to: &reading, answers[2], server: server)
            guard reading.isEnd, request.rowsKnownThrough != reading.through else {
                return .done(reading)
            }
            return .asking([rowsQuery]) { [reading] answers throws(StoreFault) in
                var reading = reading
                reading.rows = try self.rows(state, answers[0], server)
                return .done(reading)
            }
        }

        private func versions(
            _ state: PostgreSQLSpaceState, _ rows: PostgreSQLRows, server: String
        ) throws(StoreFault) -> RelayReading {
            var result = RelayReading(epoch: state.epoch, through: state.sequence, isEnd: true)
            var bound = RelayBatchBound(byteCountMax: byteCountMax)
            var byteCount = 0
            for row in 0..<rows.count {
                let change = try PostgreSQLReading.change(rows, row, server: server)
                guard !bound.isFull, bound.add(change) else { return cut(result) }
                let sequence = rows.unsigned(row, 0)
                let hash = VersionMark(of: change).hash
                if rows.identifier(row, 5) != hash { damage[sequence] = hash }
                result.changes.append(change)
                sequences.append(sequence)
                byteCount += change.body.count
            }
            // The database stops at a number of bytes, too: there may be more behind a long body.
            let mayHaveMore = byteCount > byteCountMax && sequences.last != state.sequence
            return mayHaveMore ? cut(result) : result
        }

        private func cut(_ reading: RelayReading) -> RelayReading {
            var reading = reading
            reading.through = sequences.last ?? request.start
            reading.isEnd = false
            return reading
        }

        /// Adds the versions that could not be opened, as said in the same stretch; of too many the stretch ends earlier.
        private func addUnreadable(
            to reading: inout RelayReading, _ rows: PostgreSQLRows, server: String
        ) throws(StoreFault) {
            var through = request.start
            for row in 0..<rows.count {
                let sequence = rows.unsigned(row, 2)
                if sequence > reading.through { return }
                if reading.unreadable.count == WireLimits.unreadableCountMax {
                    reading.through = through
                    reading.isEnd = false
                    reading.changes.removeLast(sequences.count { $0 > through })
                    return
                }
                guard let id = rows.identifier(row, 0), let hash = rows.identifier(row, 1) else {
                    throw PostgreSQLReading.damaged("the mark of a version", server)
                }
                reading.unreadable.append(VersionMark(id: RecordID(value: id), hash: hash))
                through = sequence
            }
        }

        private var rowsQuery: PostgreSQLQuery {
            PostgreSQLQuery(
                statement: PostgreSQLReading.rows,
                parameters: [
                    relay, .number(Int64(request.rowsAfter)),
                    .number(Int64(WireLimits.summaryRowCountMax + 1)),
                ])
        }

        private func rows(
            _ state: PostgreSQLSpaceState, _ rows: PostgreSQLRows, _ server: String
        ) throws(StoreFault) -> RelayRows {
            var found = RelayRows(sum: state.rowSum)
            for row in 0..<rows.count {
                guard found.add(try PostgreSQLReading.row(rows, row, server: server)) else {
                    break
                }
            }
            return found
        }
    }
#endif
