#if PostgreSQL
    import Core
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    /// Stores with connections of their own are to each other as processes are.
    @Suite("Several stores on one PostgreSQL database", .serialized, SharedDatabase())
    struct SeveralProcessesTests {
        private typealias Bench = RelayStoreBench

        /// Runs bodies at once, each with a store of its own.
        private func together<T: Sendable>(
            _ count: Int, limits: RelayLimits = RelayLimits(), _ address: PostgreSQLAddress,
            _ body: @escaping @Sendable (Int, PostgreSQLRelayStore) throws -> T
        ) async throws -> [T] {
            try await withThrowingTaskGroup(of: (Int, T).self) { group in
                for number in 0..<count {
                    group.addTask {
                        let store = try PostgreSQLRelayStore(
                            address, limits: limits, drawBits: { UInt64.random(in: 1 ... .max) })
                        defer { store.close() }
                        return (number, try body(number, store))
                    }
                }
                var found: [(Int, T)] = []
                for try await result in group { found.append(result) }
                return found.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }

        @Test("numbers have no holes, and a reader sees them in order while two write")
        func numbers() async throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            let (writerCount, count) = (2, 150)
            let seen = try await together(writerCount + 1, database.address()) { number, store in
                if number < writerCount {
                    for counter in 1...count {
                        let change = RelaySamples.change(
                            UInt128(number * 1000 + counter), UInt128(number + 1), UInt64(counter))
                        _ = try store.commit([Bench.changes([change], from: 1)], to: key)
                    }
                    return [UInt64]()
                }
                var (found, start): ([UInt64], UInt64) = ([], 0)
                for _ in 0..<20_000 where found.count < writerCount * count {
                    let page = try store.read(RelayReadRequest(start: start), of: key)
                    // Each number is that of one version: none may be missing below the last.
                    #expect(page.through == start + UInt64(page.changes.count))
                    found += (start..<page.through).map { $0 + 1 }
                    start = page.through
                }
                return found
            }
            #expect(seen[writerCount] == (1...UInt64(writerCount * count)).map(\.self))
            #expect(try bench.store.examine(Bench.space) == [])
            bench.store.close()
        }

        @Test("a quota is exact, whoever uploads")
        func quota() async throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            var limits = RelayLimits()
            let size = RelayQuota.byteCount(of: RelaySamples.change(1, 1, 1, 100))
            limits.spaceByteCountMax = 50 * size + size / 2
            let kept = try await together(2, limits: limits, database.address()) { number, store in
                var kept = 0
                for counter in 1...40 {
                    let change = RelaySamples.change(
                        UInt128(number * 1000 + counter), UInt128(number + 1), 1, 100)
                    let commit = try store.commit([Bench.changes([change], from: 1)], to: key)
                    kept += commit.kept.count
                    let quota = commit.quotas[Bench.sender(1)]
                    #expect((quota == .bytes) == commit.kept.isEmpty)
                }
                return kept
            }
            #expect(kept.reduce(0, +) == 50)
            #expect(try bench.head().byteCount == 50 * size)
            #expect(try bench.store.examine(Bench.space) == [])
            bench.store.close()
        }

        @Test("of many that make a space at once one makes it, and the others enter it")
        func making() async throws {
            let database = try SharedDatabase.cleared()
            let entries = try await together(6, database.address()) { number, store in
                let admission = try store.admit(
                    Bench.relayHello(UInt128(number + 1)), from: nil
                ) { head, _ in
                    head == nil ? .make(generation: 1, verifier: [UInt8(number)]) : .enter
                }
                guard case .entered(let entry) = admission else { throw StoreFault.closed }
                return (entry.cause, entry.head)
            }
            #expect(entries.count { $0.0 == .made } == 1)
            #expect(Set(entries.map(\.1.key)).count == 1)
            #expect(Set(entries.map(\.1.verifier)).count == 1)
        }

        @Test("no more spaces are made than may be, by all together")
        func spaces() async throws {
            let database = try SharedDatabase.cleared()
            let made = try await together(6, database.address()) { number, store in
                let hello = Bench.relayHello(1, to: SpaceID(value: UInt128(number + 1)))
                let admission = try store.admit(hello, from: nil) { _, others in
                    others >= 3
                        ? .refuse(RelayRejection(refusal: .greeted))
                        : .make(generation: 0, verifier: [])
                }
                guard case .entered = admission else { return false }
                return true
            }
            #expect(made.count { $0 } == 3)
            #expect(try database.store().totals.spaceCount == 3)
        }

        @Test("a generation that one begins voids what the others know")
        func generations() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let other = try RelayStoreBench { try database.store($0) }
            let old = try bench.enter(generation: 1, verifier: [1]).key
            try other.commit(old, [RelaySamples.change(1, 1, 1)])
            let begun = try other.admit { _ in .begin(generation: 2, verifier: [2]) }
            #expect(throws: RelayStoreFault.replaced) {
                try bench.commit(old, [RelaySamples.change(1, 1, 2)])
            }
            #expect(throws: RelayStoreFault.replaced) {
                try bench.store.read(RelayReadRequest(start: 0), of: old)
            }
            #expect(try bench.commit(begun.key, [RelaySamples.change(1, 1, 2)]).through == 1)
            #expect(try bench.store.examine(Bench.space) == [])
        }

        @Test("who has to wait too long for another process is told that the store is busy")
        func waiting() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let other = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            let visitor = RelayVisitor(fingerprint: [UInt8](repeating: 1, count: 32), day: 9)
            var (callCount, fault): (Int, RelayStoreFault?) = (0, nil)
            _ = try bench.admit(from: visitor) { _ in
                callCount += 1
                // The second call is behind the lock of the space's row.
                if callCount == 2 {
                    do throws(RelayStoreFault) {
                        _ = try other.store.commit(
                            [Bench.changes([RelaySamples.change(1, 1, 1)], from: 1)], to: key)
                    } catch { fault = error }
                }
                return .enter
            }
            guard callCount == 2, case .failed(.busy) = fault else {
                Issue.record("another end: \(callCount), \(String(describing: fault))")
                return
            }
            #expect(try other.commit(key, [RelaySamples.change(1, 1, 1)]).through == 1)
            #expect(try bench.store.devices(of: Bench.space).count == 1)
        }

        @Test("each opening begins one epoch, in which the others then write too")
        func epochs() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let other = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            var epochs: [EpochID] = []
            for counter: UInt64 in 1...6 {
                let writer = counter % 2 == 0 ? other : bench
                let commit = try writer.commit(key, [RelaySamples.change(1, 1, counter)])
                epochs.append(commit.epoch)
            }
            #expect(Set(epochs).count == 2)
            #expect(epochs[1...].allSatisfy { $0 == epochs[1] })
            #expect(try bench.start(key.relay, epochs[0], 9) == 1)
            #expect(try bench.start(key.relay, epochs[1], 9) == 6)
        }

        @Test("many that start at once make the tables once, and are all counted")
        func starting() async throws {
            let database = try SharedDatabase.cleared()
            _ = try await together(6, database.address()) { _, _ in true }
            try database.run(
                "DO $$ BEGIN ASSERT (SELECT number FROM tandem_relay.opening) = 6; END $$")
        }

        @Test("of processes that start at once with keys of their own all hear of the same one")
        func keys() async throws {
            let database = try SharedDatabase.cleared()
            let keys = try await together(6, database.address()) { number, store in
                try PostgreSQLRelayKey(of: store).claim([UInt8(number)])
            }
            #expect(Set(keys).count == 1)
            let store = try database.store()
            #expect(try PostgreSQLRelayKey(of: store).claim([9]) == keys[0])
            try database.run("DELETE FROM tandem_relay.relay_key")
            #expect(try PostgreSQLRelayKey(of: store).claim([9]) == [9])
        }

        @Test("tables of each earlier format are brought up to date, and what is in them stays")
        func earlier() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            try bench.commit(bench.enter().key, [RelaySamples.change(1, 1, 1)])
            // What the step from each format on has made.
            let drops = [
                "",
                """
                DROP TABLE tandem_relay.failed_proof, tandem_relay.device_upload,
                    tandem_relay.mailbox, tandem_relay.mailbox_item
                """,
                "DROP TABLE tandem_relay.relay_key",
            ]
            for earlier in [2, 1] {
                for drop in drops[earlier...] { try database.run(drop) }
                try database.run(
                    """
                    ALTER TABLE tandem_relay.format DROP COLUMN oldest;
                    UPDATE tandem_relay.format SET number = \(earlier)
                    """)
                try bench.restart()
                let store = try #require(bench.store as? PostgreSQLRelayStore)
                #expect(try PostgreSQLRelayKey(of: store).claim([9]) == [9])
                #expect(try PostgreSQLCheck(of: store).findings() == [])
                #expect(try store.examine(RelayStoreBench.space) == [])
                #expect(
                    try bench.commit(bench.enter().key, [RelaySamples.change(2, 1, 2)]).through >= 2
                )
            }
        }

        @Test("beside a newer program that only added to the tables a process goes on, and starts")
        func upgraded() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            try database.run("UPDATE tandem_relay.format SET number = 99")
            try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            try bench.restart()
            let again = try bench.enter().key
            #expect(try bench.commit(again, [RelaySamples.change(2, 1, 2)]).through == 2)
            try database.run(
                "DO $$ BEGIN ASSERT (SELECT number FROM tandem_relay.format) = 99; END $$")
        }

        @Test("tables of a newer program are left alone, and so is what is no relay's")
        func newer() throws {
            let database = try SharedDatabase.cleared()
            try database.store().close()
            try database.run("UPDATE tandem_relay.format SET number = 99, oldest = 98")
            let fault = #expect(throws: StoreFault.self) { try database.store() }
            guard case .newerStore(found: 99, _) = fault else {
                Issue.record("another fault: \(String(describing: fault))")
                return
            }
            try database.run(
                """
                DROP SCHEMA tandem_relay CASCADE; CREATE SCHEMA tandem_relay;
                CREATE TABLE tandem_relay.mine(x int)
                """)
            let other = #expect(throws: StoreFault.self) { try database.store() }
            guard case .notAStore = other else {
                Issue.record("another fault: \(String(describing: other))")
                return
            }
        }
    }
#endif
