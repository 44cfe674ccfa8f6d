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

        /// Drops some rows of a generation, by table.
        private static let drop = ["version", "summary_row"].map {
            PostgreSQLStatement(
                name: "dropping a part of \($0)",
                text: """
                    DELETE FROM \($0) WHERE relay = $1::uuid AND sequence IN (
                        SELECT sequence FROM \($0) WHERE relay = $1::uuid
                        ORDER BY sequence LIMIT $2::bigint)
                    """)
        }

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
            try store.run(PostgreSQLWork { _ in Self.dropping })
        }

        /// Drops one part; gives whether there was anything to drop.
        static var dropping: PostgreSQLStep<Bool> {
            .transaction(.writing, [choose()]) { answers throws(StoreFault) in
                guard answers[0].count > 0, let id = answers[0].identifier(0, 0) else {
                    return .done((last: [], value: false))
                }
                let relay = ReplicaID(value: id)
                return .done((last: part(of: relay) + [finish(.identifier(id))], value: true))
            }
        }

        /// The statements that drop one part of a generation.
        static func part(of relay: ReplicaID) -> [PostgreSQLQuery] {
            drop.map { $0(.identifier(relay.value), .number(Int64(rowCountMax))) }
        }
    }
#endif
