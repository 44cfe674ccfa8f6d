#if PostgreSQL
    import Storage

    /// The key by which devices know the relay: all processes on a database have the same one.
    ///
    /// A device that is met by a process with another key takes that one for a stranger. So the first process leaves its
    /// fingerprint in the database, and one that has another key does not start.
    package struct PostgreSQLRelayKey {
        /// A step of `PostgreSQLSchema`.
        static let step = [
            "CREATE TABLE relay_key(one boolean PRIMARY KEY CHECK (one), fingerprint bytea NOT NULL)"
        ]

        private static let reading = PostgreSQLStatement(
            name: "reading the key's fingerprint", text: "SELECT fingerprint FROM relay_key",
            isPrepared: false)

        private static let leaving = PostgreSQLStatement(
            name: "leaving the key's fingerprint",
            text: "INSERT INTO relay_key VALUES (true, $1::bytea) ON CONFLICT (one) DO NOTHING",
            isPrepared: false)

        private let store: PostgreSQLRelayStore

        /// The key in this store.
        package init(of store: PostgreSQLRelayStore) {
            self.store = store
        }

        /// Leaves the fingerprint of a process that starts, if it is the first.
        ///
        /// - Returns: the fingerprint that is there.
        package func claim(_ fingerprint: [UInt8]) throws(StoreFault) -> [UInt8] {
            if let found = try read() { return found }
            try store.writing([Self.leaving(.bytes(fingerprint))]) { _, _ in ([], ()) }
            return try read() ?? fingerprint
        }

        private func read() throws(StoreFault) -> [UInt8]? {
            try store.reading([Self.reading()]) { _, answers in
                answers[0].count == 1 ? answers[0].bytes(0, 0) : nil
            }
        }
    }
#endif
