#if PostgreSQL
    import Core
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    @Suite("The store of relays in a PostgreSQL database", .serialized, SharedDatabase())
    struct PostgreSQLRelayStoreTests {
        @Test("it keeps each law of a relay's store", arguments: RelayStoreLaw.all)
        func laws(law: RelayStoreLaw) throws {
            let database = try SharedDatabase.cleared()
            try law.check { try database.store($0) }
        }

        @Test("it finds each damage, by its code", arguments: RelayStoreDamage.allCases)
        func damage(damage: RelayStoreDamage) throws {
            let database = try SharedDatabase.cleared()
            try damage.check({ try database.store($0) }, spaces: "space") {
                try database.run("SET search_path TO tandem_relay; \($0)")
            }
        }
    }

    extension TestDatabase {
        /// Opens a store, as one process does.
        func store(_ limits: RelayLimits = RelayLimits()) throws -> PostgreSQLRelayStore {
            try PostgreSQLRelayStore(
                address(), limits: limits, drawBits: { UInt64.random(in: 1 ... .max) })
        }
    }
#endif
