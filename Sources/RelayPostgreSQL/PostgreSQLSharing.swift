#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// Counts, mailboxes and the end of idle spaces, in a database that all processes of a relay have.
    ///
    /// It has a connection of its own, and is called on a thread of its own, one call at a time: a database that is slow
    /// holds up no conversation. What generations that are over left behind is dropped here as well, a part at a time.
    package final class PostgreSQLSharing: RelaySharing, @unchecked Sendable {
        private let address: PostgreSQLAddress
        private let expiry = PostgreSQLExpiry()
        private var open: PostgreSQLOpened?
        /// When the sums were last read; milliseconds of `PostgreSQLConnection.now`, nil before.
        private var readAt: Int64?
        private var droppedAt: Int64 = .min

        /// Sums are read that have changed so long before the last reading: a change may be committed later than it says,
        /// milliseconds.
        private static let overlap: Int64 = 5000
        /// How often sums that are over are deleted, milliseconds.
        private static let dropPeriod: Int64 = 10_000
        /// The longest wait for the server, milliseconds: counts are sent again then.
        private static let patience: Int64 = 5000

        /// Connects with the first exchange.
        package init(_ address: PostgreSQLAddress) {
            self.address = address
        }

        /// Adds what is new here, and reads what there is.
        package func exchange(
            _ request: RelayShareRequest
        ) throws(StoreFault) -> RelayShareAnswer {
            let connection = try connected()
            var answer = RelayShareAnswer()
            if request.hasMailboxes { try exchangeMailboxes(request, &answer, connection) }
            if !request.visits.isEmpty { try expiry.note(request.visits, connection) }
            if let days = request.expiryDays {
                answer.expired = try expiry.step(days: days, connection)
            }
            _ = try connection.run(PostgreSQLSweep.dropping)
            // Last: after a failure all of it is done again, and what was counted would count twice.
            let now = PostgreSQLConnection.now
            let answers = try connection.run(
                PostgreSQLStep.asking(counting(request, now), patience: Self.patience) {
                    rows throws(StoreFault) in .done(rows)
                })
            readAt = now
            take(answers, &answer)
            answer.putOut = PostgreSQLPutOutList.devices(answers[answers.count - 3])
            answer.day = answers[answers.count - 4].number(0, 0)
            return answer
        }

        private func connected() throws(StoreFault) -> PostgreSQLConnection {
            if let open, open.connection.isUsable { return open.connection }
            let first = open?.hostIndex ?? 0
            open = nil
            let made = try PostgreSQLConnecting.connect(address, first: first)
            // All sums are read again after a failure.
            readAt = nil
            open = made
            return made.connection
        }

        // MARK: Counts

        private func counting(_ request: RelayShareRequest, _ now: Int64) -> [PostgreSQLQuery] {
            typealias Tables = PostgreSQLSharedTables
            let (proofPeriod, uploadPeriod) = (
                FailedProofs.windowMilliseconds, DeviceUploads.periodMilliseconds
            )
            var queries: [PostgreSQLQuery] = []
            if now - Self.dropPeriod >= droppedAt {
                droppedAt = now
                queries.append(Tables.failedProofs.drop(.number(proofPeriod)))
                queries.append(Tables.uploads.drop(.number(uploadPeriod)))
            }
            if !request.failedProofs.isEmpty {
                let counts = Array(request.failedProofs)
                queries.append(
                    Tables.failedProofs.add(
                        .byteStrings(counts.map { Array($0.key.address.utf8) }),
                        .identifiers(counts.map { $0.key.space?.value ?? 0 }),
                        .numbers(counts.map { Int64($0.value) }), .number(proofPeriod)))
            }
            if !request.uploads.isEmpty {
                let counts = Array(request.uploads)
                queries.append(
                    Tables.uploads.add(
                        .identifiers(counts.map(\.key.space.value)),
                        .byteStrings(counts.map(\.key.fingerprint)),
                        .numbers(counts.map { Int64($0.value) }), .number(uploadPeriod)))
            }
            let since = readAt.map { now - $0 + Self.overlap }
            queries.append(PostgreSQLExpiry.day())
            queries.append(PostgreSQLPutOutList.reading())
            queries.append(
                Tables.failedProofs.read(
                    .number(min(since ?? proofPeriod, proofPeriod)), .number(proofPeriod),
                    .number(Int64(request.limits.failedProofCountMax))))
            queries.append(
                Tables.uploads.read(
                    .number(min(since ?? uploadPeriod, uploadPeriod)), .number(uploadPeriod),
                    .number(Int64(request.limits.uploadingDeviceCountMax))))
            return queries
        }

        private func take(_ answers: [PostgreSQLRows], _ answer: inout RelayShareAnswer) {
            let (proofs, uploads) = (answers[answers.count - 2], answers[answers.count - 1])
            for row in 0..<proofs.count {
                let space = proofs.identifier(row, 1).flatMap { $0 == 0 ? nil : SpaceID(value: $0) }
                let kind = FailedProofs.Kind(address: proofs.text(row, 0), space: space)
                answer.failedProofs[kind] = Self.sum(proofs, row)
            }
            for row in 0..<uploads.count {
                guard let space = uploads.identifier(row, 0) else { continue }
                let device = DeviceUploads.Device(
                    space: SpaceID(value: space), fingerprint: uploads.bytes(row, 1))
                answer.uploads[device] = Self.sum(uploads, row)
            }
        }

        private static func sum(_ rows: PostgreSQLRows, _ row: Int) -> RelayShareAnswer.Sum {
            RelayShareAnswer.Sum(
                count: Int(rows.number(row, 2)), ageMilliseconds: rows.number(row, 3))
        }

        // MARK: Mailboxes

        private func exchangeMailboxes(
            _ request: RelayShareRequest, _ answer: inout RelayShareAnswer,
            _ connection: PostgreSQLConnection
        ) throws(StoreFault) {
            typealias Tables = PostgreSQLSharedTables
            let limits = request.limits
            let idle = limits.idleMailboxMilliseconds
            let open = request.openMailboxes.sorted { $0.key < $1.key }
            let ids = PostgreSQLValue.identifiers(open.map(\.key))
            var queries = [
                Tables.lockMailboxes(),
                Tables.dropMailboxes(.number(limits.mailboxMilliseconds), .number(idle)),
                Tables.dropItems(),
            ]
            let first = queries.count
            for wish in request.mailboxes {
                switch wish {
                case .open(let id, let isMaking, let address):
                    queries.append(
                        Tables.openMailbox(
                            .identifier(id), .flag(isMaking), .bytes(Array(address.utf8)),
                            .number(Int64(limits.mailboxCountMax)),
                            .number(Int64(limits.addressMailboxCountMax))))
                case .put(let bytes, let id):
                    queries.append(
                        Tables.putItem(
                            .identifier(id), .bytes(bytes),
                            .number(Int64(limits.mailboxItemCountMax)),
                            .number(Int64(limits.mailboxByteCountMax))))
                }
            }
            queries.append(Tables.keepMailboxes(ids, .number(idle / 4)))
            queries.append(
                Tables.items(ids, .numbers(open.map { Int64($0.value) })))
            queries.append(Tables.mailboxCount())
            let found = try connection.run(
                PostgreSQLStep.transaction(.writing, queries) { rows throws(StoreFault) in
                    .done((last: [], value: rows))
                })
            for (wish, rows) in zip(request.mailboxes, found[first...]) {
                answer.mailboxes.append(Self.outcome(of: wish, rows.number(0, 0)))
            }
            let items = found[found.count - 2]
            for row in 0..<items.count {
                guard let id = items.identifier(row, 0) else { continue }
                let number = Int(items.number(row, 1))
                if number == 0 {
                    answer.items[id] = []
                } else {
                    answer.items[id, default: []].append(
                        RelayShareAnswer.Item(number: number, bytes: items.bytes(row, 2)))
                }
            }
            answer.mailboxCount = Int(found[found.count - 1].number(0, 0))
            let hasPut = answer.mailboxes.contains {
                if case .put(let number) = $0 { number > 0 } else { false }
            }
            // After the commit, and a notice that is lost costs a second.
            if hasPut { _ = try? connection.run(Tables.tellMailboxes()) }
        }

        private static func outcome(
            of wish: RelayMailboxRequest, _ number: Int64
        ) -> RelayMailboxAnswer {
            switch (wish, number) {
            case (.open, 0): .opened
            case (.open, 1): .missing
            case (.open, 2): .tooMany
            case (.open, _): .tooManyOfAddress
            case (.put, -1): .missing
            case (.put, -2): .fullOfItems
            case (.put, -3): .fullOfBytes
            case (.put, _): .put(number: Int(number))
            }
        }
    }
#endif
