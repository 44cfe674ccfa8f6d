#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    @Suite(
        "A relay's spaces, moved from files into a PostgreSQL database", .serialized,
        SharedDatabase())
    struct MovingTests {
        private typealias Bench = RelayStoreBench

        private static func files(_ folder: String) throws -> SQLiteRelayStore {
            try SQLiteRelayStore(
                in: folder, limits: RelayLimits(),
                environment: StoreEnvironment(
                    wallMilliseconds: { 1_800_000_000_000 },
                    drawBits: { UInt64.random(in: 1 ... .max) }, machine: "machine", boot: "boot"))
        }

        /// A space with something of everything.
        private static func fill(_ bench: RelayStoreBench) throws -> RelaySpaceKey {
            let visitor = RelayVisitor(fingerprint: [UInt8](repeating: 1, count: 32), day: 9)
            _ = try bench.admit(from: visitor) { _ in .make(generation: 2, verifier: [2]) }
            let key = try bench.enter().key
            try bench.commit(
                key, (1...1500).map { RelaySamples.change(UInt128($0), 1, UInt64($0)) },
                through: 8, row: [7])
            let unread = VersionMark(of: RelaySamples.change(3, 1, 3))
            _ = try bench.store.commit(
                [
                    Bench.uploadDone(.unreadable([unread]), from: 2),
                    Bench.uploadDone(
                        .rekeyMessage(RekeyMessage(generation: 1, verifier: [1], bytes: [1, 2])),
                        from: 1),
                ], to: key)
            return key
        }

        @Test("devices go on where they were, and all that was known is known")
        func moving() throws {
            let database = try SharedDatabase.cleared()
            let folder = database.folder + "/files"
            let old = try RelayStoreBench { _ in try Self.files(folder) }
            let key = try Self.fill(old)
            let (before, epoch) = (try old.head(), try old.head().epoch)
            let rows = try old.store.rows(of: ReplicaID(value: 1), in: Bench.space)
            let devices = try old.store.devices(of: Bench.space)
            let page = try old.store.read(RelayReadRequest(start: 0), of: key)
            old.store.close()

            let bench = try RelayStoreBench { try database.store($0) }
            let store = try #require(bench.store as? PostgreSQLRelayStore)
            let files = try Self.files(folder)
            #expect(files.spaces == [Bench.space])
            let file = try #require(try files.contents(of: Bench.space))
            let move = PostgreSQLMove(into: store)
            #expect(try move.move(file) == .moved(versionCount: 1500))
            #expect(try move.move(file) == .wasThere)
            files.close()

            let after = try bench.head()
            #expect(after.key.relay == before.key.relay && after.epoch == epoch)
            #expect(after.sequence == before.sequence && after.byteCount == before.byteCount)
            #expect(after.rekeyMessageMarks == before.rekeyMessageMarks)
            #expect(try store.rows(of: ReplicaID(value: 1), in: Bench.space) == rows)
            #expect(try store.devices(of: Bench.space) == devices)
            #expect(try store.examine(Bench.space) == [])
            #expect(try bench.enter().uploaded?.sequence == 8)
            let next = try store.read(RelayReadRequest(start: 0), of: after.key)
            #expect(next == page)
            #expect(try bench.start(key.relay, epoch, 700) == 700)
            // The first write begins an epoch: the files may go on elsewhere.
            let commit = try bench.commit(after.key, [RelaySamples.change(1, 1, 9999)])
            #expect(commit.start == before.sequence && commit.epoch != epoch)
            let check = PostgreSQLCheck(of: store)
            #expect(try check.spaces() == [Bench.space])
            #expect(try check.findings() == [])
        }

        @Test("a space that devices have begun anew is left alone")
        func another() throws {
            let database = try SharedDatabase.cleared()
            let folder = database.folder + "/others"
            let old = try RelayStoreBench { _ in try Self.files(folder) }
            _ = try old.enter()
            old.store.close()
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            let files = try Self.files(folder)
            let file = try #require(try files.contents(of: Bench.space))
            let store = try #require(bench.store as? PostgreSQLRelayStore)
            #expect(try PostgreSQLMove(into: store).move(file) == .isAnother)
            #expect(try bench.head().key == key)
        }

        @Test("a check finds rows of no space, and sums that are not those of the rows")
        func checking() throws {
            let database = try SharedDatabase.cleared()
            let bench = try RelayStoreBench { try database.store($0) }
            _ = try Self.fill(bench)
            let store = try #require(bench.store as? PostgreSQLRelayStore)
            let check = PostgreSQLCheck(of: store)
            #expect(try check.findings() == [] && store.examine(Bench.space) == [])
            #expect(try check.parts().contains { $0.name == "version_0" })
            try database.run("DELETE FROM tandem_relay.version WHERE sequence = 5")
            #expect(try store.examine(Bench.space) == ["the sums are not those of the rows"])
            try database.run("DELETE FROM tandem_relay.space")
            #expect(try check.findings().contains { $0.hasPrefix("version has 1499 rows") })
            #expect(try check.findings().contains("the number of spaces is another"))
        }
    }
#endif
