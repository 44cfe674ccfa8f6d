#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// Deletes spaces that no device has visited for a long time: one after the other, in transactions that are short
    /// however large a space is, by one process at a time.
    ///
    /// A large space is emptied first, some records in each transaction. Each gives it the id of a new store, so a
    /// device that comes meanwhile finds a relay that has begun anew with some of the records, uploads all it has, and
    /// keeps the space from being deleted. What is there fits together at any moment.
    final class PostgreSQLExpiry {
        /// How many spaces are looked at in one step.
        private static let pageCount: Int64 = 256
        /// The most versions that one transaction deletes, but for those of one record.
        private static let batchCount = 2000
        /// How long after the last space the first is looked at again, milliseconds.
        private static let restMilliseconds: Int64 = 3_600_000
        /// Names the lock under which spaces are deleted: "TNDR", "EXPR".
        private static let lockNumber: Int64 = 0x544e_4452_4558_5052

        private let drawBits: @Sendable () -> UInt64
        /// The spaces that are deleted next, of those that were looked at.
        private var due: [SpaceID] = []
        /// The last space that was looked at.
        private var cursor: UInt128 = 0
        /// When the first space is looked at again, milliseconds of `PostgreSQLConnection.now`.
        private var restEnd: Int64 = .min

        init(drawBits: @escaping @Sendable () -> UInt64) {
            self.drawBits = drawBits
        }

        /// The last day of a visit to an idle space, by the database's clock: a process whose own is wrong deletes
        /// nothing.
        private static let lastIdleDay =
            "floor(extract(epoch FROM clock_timestamp()) / 86400) - $2::bigint"

        private static let look = PostgreSQLStatement(
            name: "looking for idle spaces",
            text: """
                SELECT space, max(last_day) <= \(lastIdleDay) FROM device WHERE space > $1::uuid
                GROUP BY space ORDER BY space LIMIT $3::bigint
                """)

        private static let isIdle = PostgreSQLStatement(
            name: "looking whether a space is idle",
            text: """
                SELECT pg_try_advisory_xact_lock(\(lockNumber)), coalesce((SELECT max(last_day)
                    FROM device WHERE space = $1::uuid) <= \(lastIdleDay), false)
                """)

        private static let dropVersions = PostgreSQLStatement(
            name: "emptying an idle space",
            text: """
                DELETE FROM version WHERE space = $1::uuid AND id IN (
                    SELECT id FROM version WHERE space = $1::uuid
                    ORDER BY id, sequence LIMIT $2::bigint)
                RETURNING id, octet_length(clock), octet_length(body)
                """)

        private static let dropAll = PostgreSQLSchema.tables.map {
            PostgreSQLStatement(
                name: "deleting an idle space",
                text: "DELETE FROM \($0) WHERE space = $1::uuid", isPrepared: false)
        }
        private static let dropSpace = PostgreSQLStatement(
            name: "deleting an idle space", text: "DELETE FROM space WHERE space = $1::uuid")
        private static let lowerTotal = PostgreSQLStatement(
            name: "counting an idle space", text: "UPDATE total SET spaces = spaces - 1")

        private static let visit = PostgreSQLStatement(
            name: "noting that devices are here",
            text: """
                UPDATE device SET last_day = here.day
                FROM unnest($1::uuid[], $2::bytea[], $3::bigint[]) AS here(space, fingerprint, day)
                WHERE device.space = here.space AND device.fingerprint = here.fingerprint
                    AND device.last_day < here.day
                """)

        /// Notes that devices are still connected that came on an earlier day.
        func note(
            _ visits: [RelayVisit], _ connection: PostgreSQLConnection
        ) throws(StoreFault) {
            _ = try connection.run(
                Self.visit(
                    .identifiers(visits.map(\.space.value)),
                    .byteStrings(visits.map(\.visitor.fingerprint)),
                    .numbers(visits.map(\.visitor.day))))
        }

        /// Does a little: looks at some spaces, or deletes one, or a part of one.
        ///
        /// - Returns: the spaces that are gone.
        func step(
            days: Int, _ connection: PostgreSQLConnection
        ) throws(StoreFault) -> [SpaceID] {
            if due.isEmpty { try lookOn(days, connection) }
            guard let space = due.last else { return [] }
            switch try delete(space, days, connection) {
            case .part: return []
            case .left:
                due.removeLast()
                return []
            case .deleted:
                due.removeLast()
                return [space]
            }
        }

        private func lookOn(
            _ days: Int, _ connection: PostgreSQLConnection
        ) throws(StoreFault) {
            guard PostgreSQLConnection.now >= restEnd else { return }
            let rows = try connection.run(
                Self.look(.identifier(cursor), .number(Int64(days)), .number(Self.pageCount)))
            for row in 0..<rows.count {
                guard let space = rows.identifier(row, 0) else { continue }
                cursor = space
                if rows.flag(row, 1) { due.append(SpaceID(value: space)) }
            }
            if rows.count < Int(Self.pageCount) {
                cursor = 0
                restEnd = PostgreSQLConnection.now + Self.restMilliseconds
            }
        }

        private enum Outcome {
            case deleted
            /// Some of it is left.
            case part
            /// It was visited, or another process is at it.
            case left
        }

        private func delete(
            _ space: SpaceID, _ days: Int, _ connection: PostgreSQLConnection
        ) throws(StoreFault) -> Outcome {
            let id = PostgreSQLValue.identifier(space.value)
            let first = [
                // In the order in which a space is made.
                PostgreSQLWriting.lockTotal(), PostgreSQLSpaceState.locking(id),
                Self.isIdle(id, .number(Int64(days))),
            ]
            return try connection.transact(.writing, first) { answers throws(StoreFault) in
                guard answers[2].flag(0, 0), answers[2].flag(0, 1),
                    var state = try PostgreSQLSpaceState(answers[1], server: connection.server)
                else { return ([], .left) }
                if state.versionCount <= Self.batchCount {
                    return (
                        Self.dropAll.map { $0(id) } + [Self.dropSpace(id), Self.lowerTotal()],
                        .deleted
                    )
                }
                let last = try empty(&state, connection)
                return (last + [state.saving], .part)
            }
        }

        /// Deletes some records of a space, and all by which devices would go on where they were.
        private func empty(
            _ state: inout PostgreSQLSpaceState, _ connection: PostgreSQLConnection
        ) throws(StoreFault) -> [PostgreSQLQuery] {
            let id = PostgreSQLValue.identifier(state.space.value)
            let rows = try connection.run(
                [Self.dropVersions(id, .number(Int64(Self.batchCount))), Self.rowBytes(id)])
            var records: Set<UInt128> = []
            for row in 0..<rows[0].count {
                if let record = rows[0].identifier(row, 0) { records.insert(record) }
                state.byteCount -= RelayQuota.byteCount(
                    body: Int(rows[0].number(row, 2)),
                    clockEntries: Int(rows[0].number(row, 1)) / 24)
            }
            state.versionCount -= rows[0].count
            state.recordCount -= records.count
            for row in 0..<rows[1].count {
                state.byteCount -= RelayQuota.byteCount(ofRow: Int(rows[1].number(row, 0)))
            }
            state.rowSum = 0
            state.relay = ReplicaID(
                value: UInt128(drawBits()) << 64 | UInt128(drawBits()))
            return [Self.dropUploaded(id)]
        }

        private static let rowBytes = PostgreSQLStatement(
            name: "dropping the summary rows of an idle space",
            text: "DELETE FROM summary_row WHERE space = $1::uuid RETURNING octet_length(bytes)")
        private static let dropUploaded = PostgreSQLStatement(
            name: "forgetting how far devices have uploaded",
            text: "DELETE FROM uploaded WHERE space = $1::uuid")
    }
#endif
