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

        private static var environment: StoreEnvironment {
            StoreEnvironment(
                wallMilliseconds: { 1_800_000_000_000 },
                drawBits: { UInt64.random(in: 1 ... .max) }, machine: "machine", boot: "boot")
        }

        private static func files(_ folder: String) throws -> SQLiteRelayStore {
            try SQLiteRelayStore(in: folder, limits: RelayLimits(), environment: environment)
        }

        private static func move(
            _ folder: String, into store: any RelayStore
        ) throws -> PostgreSQLMove.Outcome? {
            let move = PostgreSQLMove(into: try #require(store as? PostgreSQLRelayStore))
            return try SQLiteRelayFolder(folder, environment: environment).reading(Bench.space) {
                file throws(StoreFault) in try move.move(file)
            }
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
            let files = SQLiteRelayFolder(folder, environment: Self.environment)
            #expect(try files.spaces == [Bench.space] && !files.isServed())
            #expect(try Self.move(folder, into: store) == .moved(versionCount: 1500))
            #expect(try Self.move(folder, into: store) == .wasThere)

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

        @Test(
            "who was put out at files is out at the database, in the latest generation that either knows"
        )
        func putOut() throws {
            let database = try SharedDatabase.cleared()
            let store = try database.store()
            let list = PostgreSQLPutOutList(of: store)
            func device(_ number: UInt8, _ generation: UInt32) -> RelayPutOut {
                RelayPutOut(
                    space: Bench.space, generation: generation,
                    fingerprint: [UInt8](repeating: number, count: 32))
            }
            try list.add([])
            try list.add([device(1, 2), device(2, 3)])
            try list.add([device(1, 1), device(2, 4)])
            #expect(try list.devices() == [device(1, 2), device(2, 4)])
            store.close()
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
            #expect(try Self.move(folder, into: bench.store) == .isAnother)
            #expect(try bench.head().key == key)
        }

        @Test(
            "a relay on files goes on while its spaces are copied, and what came since is copied then"
        )
        func online() throws {
            let database = try SharedDatabase.cleared()
            let folder = database.folder + "/online"
            let old = try RelayStoreBench { _ in try Self.files(folder) }
            defer { old.store.close() }
            let key = try Self.fill(old)
            let bench = try RelayStoreBench { try database.store($0) }
            let files = SQLiteRelayFolder(folder, environment: Self.environment)
            #expect(try files.isServed())
            #expect(try Self.move(folder, into: bench.store) == .moved(versionCount: 1500))
            // A device that only looks changes nothing.
            _ = try bench.enter()

            // One version is covered by a later one, and one more comes.
            try old.commit(
                key, [RelaySamples.change(7, 1, 9000), RelaySamples.change(5000, 1, 9001)])
            #expect(try Self.move(folder, into: bench.store) == .renewed(versionCount: 1501))
            #expect(try bench.store.examine(Bench.space) == [])
            let (before, after) = (try old.head(), try bench.head())
            #expect(after.sequence == before.sequence && after.epoch == before.epoch)
            let entered = try bench.enter().key
            for start: UInt64 in [0, 900, 1400] {
                let request = RelayReadRequest(start: start)
                #expect(
                    try bench.store.read(request, of: entered) == old.store.read(request, of: key))
            }

            // From the first write to the database on the files count for nothing.
            try bench.commit(entered, [RelaySamples.change(6000, 1, 9002)])
            try old.commit(key, [RelaySamples.change(6001, 1, 9003)])
            #expect(try Self.move(folder, into: bench.store) == .wasThere)
            #expect(try bench.head().versionCount == 1502)
            let check = PostgreSQLCheck(of: try #require(bench.store as? PostgreSQLRelayStore))
            #expect(try check.findings() == [] && bench.store.examine(Bench.space) == [])
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
            try database.run(
                """
                UPDATE tandem_relay.version SET body = set_byte(body, 0, get_byte(body, 0) # 1)
                    WHERE sequence = 7
                """)
            let findings = try store.examine(Bench.space)
            #expect(findings.map(\.code) == ["altered-version"])
            try database.run("DELETE FROM tandem_relay.version WHERE sequence IN (5, 7)")
            #expect(try store.examine(Bench.space).map(\.code) == ["sums"])
            try database.run("DROP TABLE tandem_relay.device_3")
            #expect(try check.findings() == [.missingPart("device_3")])
            try database.run("DELETE FROM tandem_relay.space")
            let all = try check.findings()
            #expect(all.contains(.rowsOfNoSpace(table: "version", rowCount: 1498)))
            #expect(all.contains(.spaceCount(counted: 0, kept: 1)))
        }

        @Test("a damaged file is left alone, and the spaces behind it are moved")
        func damagedFile() throws {
            let database = try SharedDatabase.cleared()
            let folder = database.folder + "/damaged"
            let old = try RelayStoreBench { _ in try Self.files(folder) }
            _ = try Self.fill(old)
            old.store.close()
            // The first by its name.
            let damaged = folder + "/00000000000000000000000000000001.relay"
            let file = try #require(fopen(damaged, "w"))
            fputs(String(repeating: "no database ", count: 1000), file)
            fclose(file)
            let words = ["move", "folder=\(database.folder)/relay-move", "from=\(folder)"]
            #expect(try RelayProcess.run(words, on: database) == EX_DATAERR)
            let bench = try RelayStoreBench { try database.store($0) }
            #expect(try bench.head().versionCount == 1500)
            unlink(damaged)
            #expect(try RelayProcess.run(words, on: database) == 0)
        }
    }
#endif
