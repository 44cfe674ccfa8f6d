#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Session
    import Storage
    import Testing

    @Suite("A PostgreSQL database that fails, or is set back", .serialized)
    struct DatabaseFailureTests {
        private typealias Bench = RelayStoreBench

        @Test("while the server is away calls say so, and after it is back they go on")
        func away() throws {
            let database = try TestDatabase("-c fsync=off")
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            database.stop(.immediately)
            let fault = #expect(throws: RelayStoreFault.self) {
                try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            }
            guard case .failed(.unreachable(let server, _)) = fault else {
                Issue.record("another fault: \(String(describing: fault))")
                return
            }
            #expect(server.contains(database.folder))
            try database.start("-c fsync=off")
            usleep(UInt32(PostgreSQLPatience.retryMilliseconds * 1000))
            // The server may have lost something: whoever knew the space comes anew.
            #expect(throws: RelayStoreFault.replaced) {
                try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            }
            let next = try bench.enter().key
            #expect(next.relay == key.relay && next != key)
            #expect(try bench.commit(next, [RelaySamples.change(1, 1, 1)]).through == 1)
        }

        @Test(
            "what was committed is there after kill -9 of the server, and everything fits together")
        func killed() throws {
            let database = try TestDatabase("-c fsync=off")
            let bench = try RelayStoreBench { try database.store($0) }
            var key = try bench.enter().key
            var (kept, counter, failureCount): ([UInt128], UInt128, Int) = ([], 0, 0)
            for round in 0..<3 {
                // The server dies by itself a moment from now, in a commit most likely.
                let process = try #require(database.process)
                let killer = try Killer(
                    of: process, afterMicroseconds: UInt32(20_000 + round * 7000))
                for _ in 0..<5000 {
                    counter += 1
                    do {
                        let change = RelaySamples.change(counter, 1, UInt64(counter))
                        try bench.commit(key, [change])
                        kept.append(counter)
                    } catch {
                        failureCount += 1
                        break
                    }
                }
                killer.join()
                try database.start("-c fsync=off")
                usleep(UInt32(PostgreSQLPatience.retryMilliseconds * 1000))
                key = try bench.enter().key
            }
            #expect(failureCount == 3)
            for id in kept {
                let record = RecordName(.relayed, RecordID(value: id))
                #expect(try bench.store.versions(of: record, in: Bench.space).count == 1)
            }
            #expect(!kept.isEmpty)
            #expect(try bench.store.examine(Bench.space) == [])
        }

        @Test("a commit whose answer was lost is not counted twice when it comes again")
        func again() throws {
            let database = try TestDatabase("-c fsync=off")
            let bench = try RelayStoreBench { try database.store($0) }
            let key = try bench.enter().key
            let changes = [RelaySamples.change(1, 1, 1), RelaySamples.change(2, 1, 2)]
            try bench.commit(key, changes)
            database.stop(.immediately)
            try database.start("-c fsync=off")
            let next = try bench.enter().key
            let commit = try bench.commit(next, changes)
            #expect(commit.kept.isEmpty && commit.through == 2)
            #expect(commit.receipts[Bench.sender(1)]?.itemCount == 1)
        }

        @Test("a promoted standby without the last writes is a relay set back: a new epoch begins")
        func promoted() throws {
            let database = try TestDatabase("-c fsync=off")
            let both = try StandbyDatabase(of: database)
            let address = try PostgreSQLAddress(both.url)
            let bench = try RelayStoreBench { limits in
                try PostgreSQLRelayStore(
                    address, limits: limits, drawBits: { UInt64.random(in: 1 ... .max) })
            }
            let key = try bench.enter().key
            try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            try both.waitForStandby()
            try both.cutOff()
            let lost = try bench.commit(key, [RelaySamples.change(2, 1, 2)])
            #expect(lost.through == 2)
            database.stop(.immediately)
            try both.promote()
            usleep(UInt32(PostgreSQLPatience.retryMilliseconds * 1000))
            // Nobody reads on behind a number that will be given again.
            #expect(throws: RelayStoreFault.replaced) {
                try bench.store.read(RelayReadRequest(start: 2), of: key)
            }
            #expect(try bench.start(key.relay, lost.epoch, 2) == 1)
            let next = try bench.enter().key
            let commit = try bench.commit(next, [RelaySamples.change(3, 1, 3)])
            #expect(commit.through == 2 && commit.epoch != lost.epoch)
            // A device that had read the lost version reads on behind the last one that is left.
            #expect(try bench.start(key.relay, lost.epoch, 2) == 1)
            #expect(try bench.start(key.relay, commit.epoch, 2) == 2)
            #expect(try bench.store.examine(Bench.space) == [])
        }

        @Test("a device that is refused as the database fails hears nothing of the database")
        func secrecy() throws {
            let database = try TestDatabase("-c fsync=off")
            var options = RelayOptions(folder: "")
            options.allowsPlainSpaces = true
            let engine = RelayEngine(
                options: options, access: NoAccess(), store: try database.store())
            let now = Instant(milliseconds: 1)
            let (device, _) = engine.open(RelayChannel(address: "10.0.0.1"), now: now)
            _ = engine.receive(
                device, Frame.encode(.relayHello(Bench.relayHello())), now: now)
            let through = Checkpoint(epoch: EpochID(value: 99), sequence: 1)
            let batch = ChangeBatch(changes: [RelaySamples.change(1, 1, 1)], through: through)
            try database.run("ALTER TABLE tandem_relay.version RENAME TO nothing")
            _ = engine.receive(device, Frame.encode(.changes(batch)), now: now)
            var (words, logged): ([String], [RelayLogEvent]) = ([], [])
            for (_, effect) in engine.commit(now: now) {
                switch effect {
                case .send(let bytes): words.append(String(decoding: bytes, as: UTF8.self))
                case .log(let event): logged.append(event)
                case .wake, .close: break
                }
            }
            let isLogged = logged.contains {
                if case .spaceFailed(_, .inputOutput(_, _, let detail)) = $0 {
                    return detail.contains("42P01")
                }
                return false
            }
            #expect(isLogged, "the operator is told the code")
            #expect(!words.isEmpty)
            for word in words {
                for secret in ["42P01", "relation", "SELECT", "tandem_relay", database.folder] {
                    #expect(!word.contains(secret))
                }
            }
        }
    }

    /// No space with a secret is served.
    private struct NoAccess: RelayAccess {
        func verify(
            verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
            channelBinding: [UInt8]?
        ) -> Bool { false }

        func verifySuccession(
            verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
            succession: [UInt8]
        ) -> Bool { false }
    }

    /// Kills a process from another thread, a moment later.
    private final class Killer {
        private var thread = pthread_t()

        init(of process: pid_t, afterMicroseconds microseconds: UInt32) throws {
            let order = UnsafeMutablePointer<(pid_t, UInt32)>.allocate(capacity: 1)
            order.initialize(to: (process, microseconds))
            let made = pthread_create(
                &thread, nil,
                { argument in
                    guard let order = argument?.assumingMemoryBound(to: (pid_t, UInt32).self)
                    else { return nil }
                    usleep(order.pointee.1)
                    kill(order.pointee.0, SIGKILL)
                    order.deallocate()
                    return nil
                }, order)
            guard made == 0 else { throw DatabaseFailure(words: "no thread") }
        }

        func join() { pthread_join(thread, nil) }
    }
#endif
