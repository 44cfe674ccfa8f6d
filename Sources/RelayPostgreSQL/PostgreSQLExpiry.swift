#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// Deletes spaces that no device has visited for a long time: one after the other, in transactions that are short
    /// however large a space is, by one process at a time.
    ///
    /// The versions and summary rows are left to `PostgreSQLSweep`: a device that comes meanwhile makes the space anew, and
    /// they are none of it.
    final class PostgreSQLExpiry {
        /// How many spaces are looked at in one step.
        private static let pageCount: Int64 = 256
        /// How long after the last space the first is looked at again, milliseconds.
        private static let restMilliseconds: Int64 = 3_600_000
        /// Names the lock under which spaces are deleted: "TNDR", "EXPR".
        private static let lockNumber: Int64 = 0x544e_4452_4558_5052

        /// The spaces that are deleted next, of those that were looked at.
        private var due: [SpaceID] = []
        /// The last space that was looked at.
        private var cursor: UInt128 = 0
        /// When the first space is looked at again, milliseconds of `PostgreSQLConnection.now`.
        private var restEnd: Int64 = .min

        /// The day by the database's clock: a process whose own is wrong deletes nothing.
        static let today = "floor(extract(epoch FROM clock_timestamp()) / 86400)::bigint"

        static let day = PostgreSQLStatement(name: "asking for the day", text: "SELECT \(today)")

        /// The last day of a visit to an idle space.
        private static let lastIdleDay = "\(today) - $2::bigint"

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

        private static let dropSpace = PostgreSQLStatement(
            name: "deleting an idle space", text: "DELETE FROM space WHERE space = $1::uuid")
        private static let lowerTotal = PostgreSQLStatement(
            name: "counting an idle space", text: "UPDATE total SET spaces = spaces - 1")

        private static let visit = PostgreSQLStatement(
            name: "noting that devices are here",
            text: """
                UPDATE device SET last_day = least(here.day, \(today))
                FROM unnest($1::uuid[], $2::bytea[], $3::bigint[]) AS here(space, fingerprint, day)
                WHERE device.space = here.space AND device.fingerprint = here.fingerprint
                    AND device.last_day < least(here.day, \(today))
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

        /// Does a little: looks at some spaces, and deletes one.
        ///
        /// - Returns: the spaces that are gone.
        func step(
            days: Int, _ connection: PostgreSQLConnection
        ) throws(StoreFault) -> [SpaceID] {
            if due.isEmpty { try lookOn(days, connection) }
            guard let space = due.popLast() else { return [] }
            return try delete(space, days, connection) ? [space] : []
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

        /// Whether it is gone; not if it was visited, or another process is at it.
        private func delete(
            _ space: SpaceID, _ days: Int, _ connection: PostgreSQLConnection
        ) throws(StoreFault) -> Bool {
            let id = PostgreSQLValue.identifier(space.value)
            let server = connection.server
            let first = [
                // In the order in which a space is made.
                PostgreSQLWriting.lockTotal(), PostgreSQLSpaceState.locking(id),
                Self.isIdle(id, .number(Int64(days))),
            ]
            return try connection.run(
                PostgreSQLStep.transaction(.writing, first) { answers throws(StoreFault) in
                    guard answers[2].flag(0, 0), answers[2].flag(0, 1),
                        let state = try PostgreSQLSpaceState(answers[1], server: server)
                    else { return .done((last: [], value: false)) }
                    let last =
                        PostgreSQLWriting.dropAll.map { $0(id) } + [
                            PostgreSQLWriting.dropRekeyMessages(id),
                            PostgreSQLWriting.leave(.identifier(state.relay.value)),
                            Self.dropSpace(id), Self.lowerTotal(),
                        ]
                    return .done((last: last, value: true))
                })
        }
    }
#endif
