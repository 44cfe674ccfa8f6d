#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// How large spaces are, by the sums in their rows: no version is read.
    package struct PostgreSQLSizes {
        /// One space.
        package struct Size: Hashable, Sendable {
            /// The space.
            package let space: SpaceID
            /// Its bytes, as the quota counts them.
            package let byteCount: Int
            /// Its records.
            package let recordCount: Int
            /// Its versions.
            package let versionCount: Int
            /// The day of the last visit, days since 1970-01-01 UTC; nil if its devices never showed a key.
            package let lastDay: Int64?
        }

        private static let largest = PostgreSQLStatement(
            name: "listing the largest spaces",
            text: """
                SELECT space, bytes, records, versions,
                    (SELECT max(last_day) FROM device WHERE device.space = space.space)
                FROM space ORDER BY bytes DESC, space LIMIT $1::bigint
                """, isPrepared: false)

        private static let disk = PostgreSQLStatement(
            name: "measuring the versions of all spaces",
            text: """
                SELECT sum(pg_total_relation_size(oid))::bigint,
                    (pg_current_wal_lsn() - '0/0')::bigint
                FROM pg_class WHERE relnamespace = 'tandem_relay'::regnamespace AND relkind = 'r'
                    AND relname LIKE 'version\\_%'
                """, isPrepared: false)

        private let store: PostgreSQLRelayStore

        /// The sizes in this store.
        package init(of store: PostgreSQLRelayStore) {
            self.store = store
        }

        /// The bytes on the disk of all versions with their indexes, and how many bytes the server has logged so far.
        package func disk() throws(StoreFault) -> (versionByteCount: Int, loggedByteCount: Int) {
            try store.reading([Self.disk()]) { _, answers throws(StoreFault) in
                (Int(answers[0].number(0, 0)), Int(answers[0].number(0, 1)))
            }
        }

        /// The largest spaces, the largest first.
        package func largest(_ count: Int) throws(StoreFault) -> [Size] {
            try store.reading([Self.largest(.number(Int64(count)))]) {
                _, answers throws(StoreFault) in
                let rows = answers[0]
                return (0..<rows.count).compactMap { row in
                    rows.identifier(row, 0).map { space in
                        Size(
                            space: SpaceID(value: space), byteCount: Int(rows.number(row, 1)),
                            recordCount: Int(rows.number(row, 2)),
                            versionCount: Int(rows.number(row, 3)),
                            lastDay: rows.isNull(row, 4) ? nil : rows.number(row, 4))
                    }
                }
            }
        }
    }
#endif
