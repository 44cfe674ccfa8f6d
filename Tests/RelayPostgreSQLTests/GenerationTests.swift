#if PostgreSQL
    import Core
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    @Suite("Generations of a space on a PostgreSQL database", .serialized, SharedDatabase())
    struct GenerationTests {
        /// More versions than one part drops.
        private static let versionCount = PostgreSQLSweep.rowCountMax + 500

        private func versions() -> [Change] {
            (1...Self.versionCount).map { RelaySamples.change(UInt128($0), 1, UInt64($0)) }
        }

        @Test("a next generation begins without what was there, which is dropped in parts")
        func leftovers() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let store = try #require(bench.store as? PostgreSQLRelayStore)
            let old = try bench.enter(generation: 1, verifier: [1]).key
            try bench.commit(old, versions(), row: [7])
            let check = PostgreSQLCheck(of: store)
            let sweep = PostgreSQLSweep(of: store)
            #expect(try !sweep.dropPart())

            let new = try bench.admit { _ in .begin(generation: 2, verifier: [2]) }.key
            #expect(new.relay != old.relay)
            // Nothing of it is seen, and nothing is found that should not be there.
            #expect(try bench.head().versionCount == 0)
            let page = try store.read(RelayReadRequest(start: 0), of: new)
            #expect(page.changes.isEmpty && page.isEnd && page.rows?.rows.isEmpty == true)
            #expect(try store.examine(RelayStoreBench.space) == [] && check.findings() == [])
            // The same numbers are given again.
            let commit = try bench.commit(new, [RelaySamples.change(1, 1, 1)])
            #expect(commit.through == 1)

            var partCount = 0
            while try sweep.dropPart() {
                partCount += 1
                try #require(partCount < 10)
                #expect(try store.examine(RelayStoreBench.space) == [] && check.findings() == [])
            }
            #expect(partCount == 2)
            try database.run(
                """
                DO $$ BEGIN ASSERT (SELECT count(*) FROM tandem_relay.version) = 1
                    AND (SELECT count(*) FROM tandem_relay.summary_row) = 0; END $$
                """)
            let left = try store.read(RelayReadRequest(start: 0), of: new)
            #expect(left.changes == [RelaySamples.change(1, 1, 1)])
        }

        @Test("two processes drop two generations at once, and each part but once")
        func sweepers() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let store = try #require(bench.store as? PostgreSQLRelayStore)
            let other = try database.store(RelayLimits())
            defer { other.close() }
            for generation: UInt32 in 1...3 {
                let key = try bench.admit {
                    $0 == nil
                        ? .make(generation: generation, verifier: [1])
                        : .begin(generation: generation, verifier: [1])
                }.key
                try bench.commit(key, versions())
            }
            let sweeps = [PostgreSQLSweep(of: store), PostgreSQLSweep(of: other)]
            var partCount = 0
            while try sweeps[partCount % 2].dropPart() {
                partCount += 1
                try #require(partCount < 20)
            }
            #expect(partCount == 4)
            #expect(try PostgreSQLCheck(of: store).findings() == [])
            #expect(try bench.head().versionCount == Self.versionCount)
        }

        @Test("a dump that is read in under a running server begins an epoch on an open connection")
        func dump() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            let first = try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            let file = database.folder + "/dump.sql"
            try database.dump(to: file)
            let second = try bench.commit(key, [RelaySamples.change(2, 1, 2)])
            #expect(first.epoch == second.epoch && second.through == 2)

            let other = try database.store(RelayLimits())
            defer { other.close() }
            try database.run("DROP SCHEMA tandem_relay CASCADE")
            #expect(throws: StoreFault.self) { try bench.head() }
            // A process that runs makes no tables where a dump is about to be read in.
            other.forget(RelayStoreBench.space)
            let fault = #expect(throws: StoreFault.self) {
                try other.head(of: RelayStoreBench.space)
            }
            guard case .unreachable = fault else {
                Issue.record("tables were made: \(String(describing: fault))")
                return
            }
            try database.read(file)
            #expect(throws: RelayStoreFault.replaced) {
                try bench.commit(key, [RelaySamples.change(3, 1, 3)])
            }
            let again = try bench.enter().key
            #expect(again.relay == key.relay && again != key)
            let third = try bench.commit(again, [RelaySamples.change(3, 1, 3)])
            // The number that the second one had, in another epoch.
            #expect(third.through == 2 && third.epoch != second.epoch)
        }

        @Test("a device is put out of a space for all processes, and only one that was ever let in")
        func puttingOut() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            let store = try #require(bench.store as? PostgreSQLRelayStore)
            let visitors = (1...3).map {
                RelayVisitor(fingerprint: [UInt8](repeating: UInt8($0), count: 32), day: 9)
            }
            for visitor in visitors {
                _ = try bench.admit(from: visitor) {
                    $0 == nil ? .make(generation: 2, verifier: [2]) : .enter
                }
            }
            let list = PostgreSQLPutOutList(of: store)
            let other = try database.store(RelayLimits())
            defer { other.close() }
            let space = RelayStoreBench.space
            #expect(try list.devices().isEmpty)
            #expect(try list.putOut(visitors[1].fingerprint, of: space) == .putOut)
            #expect(try list.putOut(visitors[1].fingerprint, of: space) == .putOut)
            let stranger = [UInt8](repeating: 9, count: 32)
            #expect(try list.putOut(stranger, of: space) == .unknownDevice)
            #expect(try list.putOut(stranger, of: SpaceID(value: 8)) == .unknownSpace)
            let out = RelayPutOut(
                space: space, generation: 2, fingerprint: visitors[1].fingerprint)
            let others = PostgreSQLPutOutList(of: other)
            #expect(try others.devices() == [out])
            let entries = try others.entries(after: nil)
            #expect(entries.map(\.device.fingerprint) == visitors.map(\.fingerprint))
            #expect(entries.map(\.isPutOut) == [false, true, false])
            #expect(try others.entries(after: entries[0]) == [entries[1], entries[2]])
        }
    }
#endif
