#if PostgreSQL
    import Core
    import Relay
    import Storage

    /// Drops the rows of generations that are over, in parts: each part is a short transaction, so that neither a device
    /// nor VACUUM waits for a large space.
    ///
    /// Any number of processes may do it at once: each takes another generation.
    package struct PostgreSQLSweep {
        private let store: PostgreSQLRelayStore

        /// The most versions, and the most summary rows, that are dropped at a time.
        package static let rowCountMax = 2000

        /// Takes a generation that no other process has just now.
        private static let choose = PostgreSQLStatement(
            name: "choosing a generation to drop",
            text: "SELECT relay FROM leftover LIMIT 1 FOR UPDATE SKIP LOCKED")

        static let dropVersions = PostgreSQLStatement(
            name: "dropping versions of a generation",
            text: """
                DELETE FROM version WHERE relay = $1::uuid AND sequence IN (
                    SELECT sequence FROM version WHERE relay = $1::uuid
                    ORDER BY sequence LIMIT $2::bigint)
                """)

        static let dropRows = PostgreSQLStatement(
            name: "dropping summary rows of a generation",
            text: """
                DELETE FROM summary_row WHERE relay = $1::uuid AND sequence IN (
                    SELECT sequence FROM summary_row WHERE relay = $1::uuid
                    ORDER BY sequence LIMIT $2::bigint)
                """)

        /// Forgets the generation if nothing of it is left.
        private static let finish = PostgreSQLStatement(
            name: "ending a generation",
            text: """
                DELETE FROM leftover WHERE relay = $1::uuid
                    AND NOT EXISTS (SELECT FROM version WHERE relay = $1::uuid)
                    AND NOT EXISTS (SELECT FROM summary_row WHERE relay = $1::uuid)
                """)

        /// A sweep of this store.
        package init(of store: PostgreSQLRelayStore) {
            self.store = store
        }

        /// Drops one part.
        ///
        /// - Returns: whether there was anything to drop, so that there may be more.
        package func dropPart() throws(StoreFault) -> Bool {
            try store.writing([Self.choose()]) { _, answers throws(StoreFault) in
                Self.last(answers[0])
            }
        }

        /// Drops one part.
        static var dropping: PostgreSQLStep<Bool> {
            .transaction(.writing, [choose()]) { answers throws(StoreFault) in
                let (last, hasMore) = Self.last(answers[0])
                return .done((last: last, value: hasMore))
            }
        }

        private static func last(_ chosen: PostgreSQLRows) -> (last: [PostgreSQLQuery], Bool) {
            guard chosen.count > 0, let relay = chosen.identifier(0, 0) else { return ([], false) }
            let most = PostgreSQLValue.number(Int64(rowCountMax))
            return (
                [
                    dropVersions(.identifier(relay), most), dropRows(.identifier(relay), most),
                    finish(.identifier(relay)),
                ], true
            )
        }
    }
#endif
