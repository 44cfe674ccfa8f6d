#if PostgreSQL
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    @Suite("Names of database servers", .serialized)
    struct HostLookupTests {
        @Test("only names are looked up, and stay what a certificate has to show")
        func addresses() throws {
            func host(_ address: String) throws -> PostgreSQLAddress.Host {
                try #require(try PostgreSQLAddress(address).hosts.first)
            }
            for number in [
                "postgresql://127.0.0.1/db", "postgresql://[::1]:5433/db",
                "postgresql:///db?host=/run/postgresql", "postgresql:///db",
                "postgresql://db.example.org/db?hostaddr=192.0.2.1",
            ] {
                #expect(try host(number).lookupName == nil, "\(number)")
            }
            let named = try host("postgresql://db.example.org:5433/db")
            #expect(named.lookupName == "db.example.org")
            let found = Dictionary(
                uniqueKeysWithValues: named.at(["192.0.2.1", "2001:db8::1"]).options.map {
                    ($0.keyword, $0.value)
                })
            #expect(found["host"] == "db.example.org,db.example.org")
            #expect(found["hostaddr"] == "192.0.2.1,2001:db8::1")
            #expect(found["port"] == "5433" && found["sslmode"] == "verify-full")
        }

        /// A server at a port of its own, and a store that has come to it by a connection that was made on no loop.
        private struct Server {
            let database: TestDatabase
            let store: PostgreSQLRelayStore
            private let settings: String

            init(_ hosts: (UInt16) -> String) throws {
                let port = try LoopbackSocket(isListening: false).port
                settings = "-c listen_addresses=127.0.0.1 -c port=\(port)"
                database = try TestDatabase(settings)
                store = try PostgreSQLRelayStore(
                    PostgreSQLAddress(
                        "postgresql://relay@\(hosts(port))/postgres?sslmode=disable"),
                    limits: RelayLimits(), drawBits: { UInt64.random(in: 1 ... .max) })
            }

            /// Starts the server again: the next connection is made by the loop.
            func restart() throws {
                database.stop()
                try database.start(settings)
            }
        }

        /// A store on a loop that has come to a server, which was started again since.
        private func restarted(
            _ hosts: (UInt16) -> String, on loop: PollLoop,
            _ body: (() throws -> UInt64) throws -> Void
        ) throws {
            let server = try Server(hosts)
            let looped = LoopedStore(server.store, on: loop)
            let bench = try RelayStoreBench { _ in looped }
            _ = try bench.enter()
            try server.restart()
            try body {
                try looped.read(RelayReadRequest(start: 0), of: bench.enter().key).through
            }
        }

        /// Reads until the store answers.
        private func read(_ loop: PollLoop, _ read: () throws -> UInt64) throws {
            for _ in 0..<4 {
                if (try? read()) == 0 { return }
                loop.turn(milliseconds: 1200) { false }
            }
            #expect(try read() == 0)
        }

        @Test("a store on a loop has the name of its server looked up, and comes to it")
        func comes() throws {
            let loop = PollLoop()
            loop.names["localhost"] = (["127.0.0.1"], 50)
            try restarted({ "localhost:\($0)" }, on: loop) { read in
                try self.read(loop, read)
                #expect(Set(loop.lookedUp) == ["localhost"])
            }
        }

        @Test("a name server that takes its time holds up nothing, and the next host has its turn")
        func slow() throws {
            let loop = PollLoop()
            // The late answer is for a host that is over by then.
            loop.names["localhost"] = (["192.0.2.1"], 2500)
            try restarted({ "localhost:\($0),127.0.0.1:\($0)" }, on: loop) { read in
                var tickCount = 0
                func tick() {
                    tickCount += 1
                    _ = loop.call(afterMilliseconds: 10) { tick() }
                }
                tick()
                try self.read(loop, read)
                #expect(!loop.lookedUp.isEmpty)
                #expect(tickCount > 50, "the loop turned while the name was looked up")
                loop.turn(milliseconds: 1000) { false }
                #expect(try read() == 0)
            }
        }

        @Test("a name server that always takes longer makes connecting slow, and not impossible")
        func alwaysSlow() throws {
            let loop = PollLoop()
            loop.names["localhost"] = (["127.0.0.1"], 2500)
            try restarted({ "localhost:\($0)" }, on: loop) { read in
                try self.read(loop, read)
                #expect(loop.lookedUp.count == 1, "one look-up at a time")
            }
        }

        @Test("at the end nobody waits for a loop that no longer turns")
        func settling() throws {
            let server = try Server { "localhost:\($0)" }
            let store = server.store
            let loop = PollLoop()
            loop.names["localhost"] = (["127.0.0.1"], 60_000)
            store.attach(to: loop)
            try server.restart()
            loop.turn(milliseconds: 1200) { false }
            var head: Result<RelayAdmission, StoreFault>?
            store.admit(
                RelayStoreBench.relayHello(), from: nil,
                { _, _ in .make(generation: 0, verifier: []) }, then: { head = $0 })
            loop.turn(milliseconds: 100) { false }
            #expect(loop.lookedUp == ["localhost"] && head == nil)
            store.settle()
            #expect(throws: Never.self) { try head?.get() }
            #expect(head != nil)
            store.close()
        }

        @Test("a name without an address is told as such")
        func unknown() throws {
            let loop = PollLoop()
            try restarted({ "localhost:\($0)" }, on: loop) { read in
                var words = ""
                for _ in 0..<3 where !words.contains("its name has no address") {
                    do { _ = try read() } catch { words = "\(error)" }
                    loop.turn(milliseconds: 1200) { false }
                }
                #expect(words.contains("its name has no address"), "\(words)")
            }
        }
    }
#endif
