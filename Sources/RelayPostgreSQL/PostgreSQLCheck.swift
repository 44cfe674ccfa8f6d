#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// A look at everything that relays have in a database, whether it fits together.
    package struct PostgreSQLCheck {
        /// A part of a table: its name, how many rows it has by the last estimate, and its bytes with those of its indexes.
        package struct Part: Hashable, Sendable {
            /// The name of the table's part.
            package let name: String
            /// How many rows there are about; negative before the first estimate.
            package let rowCount: Int
            /// The bytes on the disk.
            package let byteCount: Int
        }

        private let store: PostgreSQLRelayStore

        private static let spaces = PostgreSQLStatement(
            name: "listing spaces", text: "SELECT space FROM space ORDER BY space")

        private static let orphans = PostgreSQLStatement(
            name: "looking for rows of no space",
            text: PostgreSQLSchema.tables.map { table in
                // A generation that is over belongs to no space any more, and is known.
                let isKnown =
                    table.key == "relay"
                    ? "AND NOT EXISTS (SELECT FROM leftover WHERE leftover.relay = found.relay)"
                    : ""
                return """
                    SELECT '\(table.name)', count(*) FROM \(table.name) AS found
                    WHERE NOT EXISTS (
                        SELECT FROM space WHERE space.\(table.key) = found.\(table.key)) \(isKnown)
                    """
            }.joined(separator: " UNION ALL "), isPrepared: false)

        private static let total = PostgreSQLStatement(
            name: "comparing the number of spaces",
            text: "SELECT (SELECT spaces FROM total), (SELECT count(*) FROM space)",
            isPrepared: false)

        /// All rows are read, so it takes as long as it takes, and in the order in which they are on the disk.
        private static let patience = [
            "SET LOCAL statement_timeout = \(PostgreSQLPatience.checkMilliseconds)",
            "SET LOCAL enable_seqscan = on",
        ].map { PostgreSQLStatement(name: "preparing a check", text: $0, isPrepared: false) }

        private static let attached = PostgreSQLStatement(
            name: "listing the attached parts of tables",
            text: """
                SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
                WHERE relnamespace = 'tandem_relay'::regnamespace AND relkind = 'r'
                """, isPrepared: false)

        private static let parts = PostgreSQLStatement(
            name: "listing the parts of tables",
            text: """
                SELECT relname::text, reltuples::bigint, pg_total_relation_size(oid)
                FROM pg_class WHERE relnamespace = 'tandem_relay'::regnamespace AND relkind = 'r'
                ORDER BY relname
                """, isPrepared: false)

        /// A look at this store.
        package init(of store: PostgreSQLRelayStore) {
            self.store = store
        }

        /// All spaces, in order.
        package func spaces() throws(StoreFault) -> [SpaceID] {
            try store.reading([Self.spaces()]) { _, answers throws(StoreFault) in
                (0..<answers[0].count).compactMap { row in
                    answers[0].identifier(row, 0).map { SpaceID(value: $0) }
                }
            }
        }

        /// The parts of all tables.
        package func parts() throws(StoreFault) -> [Part] {
            try store.reading([Self.parts()]) { _, answers throws(StoreFault) in
                (0..<answers[0].count).map {
                    Part(
                        name: answers[0].text($0, 0), rowCount: Int(answers[0].number($0, 1)),
                        byteCount: Int(answers[0].number($0, 2)))
                }
            }
        }

        /// Findings about no single space: parts of tables and rows of spaces that are not there, a wrong number
        /// of spaces.
        package func findings() throws(StoreFault) -> [RelayFinding] {
            let queries =
                Self.patience.map { $0() } + [Self.orphans(), Self.total(), Self.attached()]
            return try store.reading(queries, patience: PostgreSQLPatience.checkMilliseconds) {
                _, answers throws(StoreFault) in
                let (orphans, total) = (answers[queries.count - 3], answers[queries.count - 2])
                var findings: [RelayFinding] = []
                for row in 0..<orphans.count where orphans.number(row, 1) > 0 {
                    findings.append(
                        .rowsOfNoSpace(
                            table: orphans.text(row, 0), rowCount: Int(orphans.number(row, 1))))
                }
                let counted = Int(total.number(0, 1))
                let kept = total.isNull(0, 0) ? nil : Int(total.number(0, 0))
                if kept != counted { findings.append(.spaceCount(counted: counted, kept: kept)) }
                let attached = answers[queries.count - 1]
                let found = Set((0..<attached.count).map { attached.text($0, 0) })
                let missing = PostgreSQLSchema.partNames.filter { !found.contains($0) }
                return findings + missing.map { .missingPart($0) }
            }
        }
    }
#endif
