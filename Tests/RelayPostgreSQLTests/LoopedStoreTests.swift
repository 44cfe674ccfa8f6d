#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayPostgreSQL
    import RelayTestSupport
    import Storage
    import Testing

    @Suite("The store of relays in a PostgreSQL database, on a loop", .serialized, SharedDatabase())
    struct LoopedStoreTests {
        private typealias Bench = RelayStoreBench
        private static let other = SpaceID(value: 8)

        @Test("it keeps each law of a relay's store", arguments: RelayStoreLaw.all)
        func laws(law: RelayStoreLaw) throws {
            let database = try SharedDatabase.cleared()
            try law.check { LoopedStore(try database.store($0)) }
        }

        /// A store on a loop, and another one, which holds the row of the space while `body` runs.
        private func locked(
            connectionCountMax: Int, waitingCallCountMax: Int = 100,
            _ body: (PollLoop, PostgreSQLRelayStore, RelaySpaceKey) throws -> Void
        ) throws {
            let database = try SharedDatabase.cleared()
            let bench = try Bench { try database.store($0) }
            let key = try bench.enter().key
            let (loop, store) = (PollLoop(), try database.store())
            store.limits.storeConnectionCountMax = connectionCountMax
            store.limits.storeCallCountMax = waitingCallCountMax
            store.attach(to: loop)
            loop.turn(milliseconds: 300) { false }
            let visitor = RelayVisitor(fingerprint: [UInt8](repeating: 1, count: 32), day: 9)
            var callCount = 0
            try withoutActuallyEscaping(body) { body in
                _ = try bench.admit(from: visitor) { _ in
                    callCount += 1
                    // The second call is behind the lock of the space's row.
                    if callCount == 2 {
                        #expect(throws: Never.self) { try body(loop, store, key) }
                    }
                    return .enter
                }
            }
            #expect(callCount == 2)
            store.close()
            #expect(try bench.store.examine(Bench.space) == [])
        }

        @Test("one space that is locked holds up neither another one nor those who read it")
        func lockedRow() throws {
            try locked(connectionCountMax: 2) { loop, store, key in
                var done: [String] = []
                for counter: UInt64 in 1...3 {
                    let change = RelaySamples.change(UInt128(counter), 1, counter)
                    store.commit([Bench.changes([change], from: 1)], to: key) { result in
                        #expect(throws: RelayStoreFault.self) { try result.get() }
                    }
                }
                store.read(RelayReadRequest(start: 0), of: key) { result in
                    #expect(throws: Never.self) { try result.get() }
                    done.append("read")
                }
                store.admit(
                    Bench.relayHello(2, to: Self.other), from: nil,
                    { head, _ in head == nil ? .make(generation: 0, verifier: []) : .enter }
                ) { result in
                    #expect(throws: Never.self) { try result.get() }
                    done.append("other")
                }
                #expect(loop.turn(milliseconds: 3000) { done.count == 2 })
                #expect(done == ["read", "other"])
                // The test ends before the lock does: all that waits is told so.
                store.close()
            }
        }

        @Test(
            "who finds no connection waits, so many as may; the next is told that the store is busy"
        )
        func full() throws {
            try locked(connectionCountMax: 1, waitingCallCountMax: 2) { loop, store, key in
                var (answers, faults): ([Int], [RelayStoreFault]) = ([], [])
                for number in 0..<4 {
                    let change = RelaySamples.change(UInt128(number + 1), 1, UInt64(number + 1))
                    store.commit([Bench.changes([change], from: 1)], to: key) { result in
                        answers.append(number)
                        if case .failure(let fault) = result { faults.append(fault) }
                    }
                }
                // One is under way and two wait.
                #expect(answers == [3])
                guard case .failed(.busy) = faults.first else {
                    Issue.record("another end: \(faults)")
                    return
                }
                // The server itself gives up to wait for the row: the next is tried.
                #expect(loop.turn(milliseconds: 5000) { answers.count >= 2 })
                #expect(answers.prefix(2) == [3, 0])
                store.close()
                #expect(answers.sorted() == [0, 1, 2, 3])
            }
        }

        @Test(
            "a server that is started again is found by the next call; the calls of that time are told"
        )
        func restarted() throws {
            let database = try TestDatabase("-c fsync=off")
            let looped = LoopedStore(try database.store(), connectionCountMax: 3)
            let bench = try Bench { _ in looped }
            let key = try bench.enter().key
            try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            database.stop(.immediately)
            var faults: [RelayStoreFault] = []
            for number: UInt64 in 2...9 {
                let change = RelaySamples.change(UInt128(number), 1, number)
                looped.store.commit([Bench.changes([change], from: 1)], to: key) { result in
                    if case .failure(let fault) = result { faults.append(fault) }
                }
            }
            #expect(looped.loop.turn(milliseconds: 5000) { faults.count == 8 })
            for fault in faults {
                guard case .failed(.unreachable) = fault else {
                    Issue.record("another fault: \(fault)")
                    continue
                }
            }
            try database.start("-c fsync=off")
            usleep(UInt32(PostgreSQLPatience.retryMilliseconds * 1000))
            // After a restart what conversations know is void.
            #expect(throws: RelayStoreFault.replaced) {
                try bench.commit(key, [RelaySamples.change(2, 1, 2)])
            }
            let next = try bench.enter().key
            #expect(try bench.commit(next, [RelaySamples.change(2, 1, 2)]).through == 2)
            #expect(try bench.store.examine(Bench.space) == [])
        }

        @Test("many calls at once share as many connections as may be")
        func shared() throws {
            let database = try TestDatabase("-c fsync=off")
            let looped = LoopedStore(try database.store(), connectionCountMax: 3)
            let bench = try Bench { _ in looped }
            let key = try bench.enter().key
            try bench.commit(key, [RelaySamples.change(1, 1, 1)])
            var (answers, most) = (0, 0)
            for _ in 0..<60 {
                looped.store.read(RelayReadRequest(start: 0), of: key) { result in
                    answers += 1
                    if answers % 20 == 0 { most = max(most, database.sessions.count) }
                    #expect((try? result.get())?.changes.count == 1)
                }
            }
            looped.loop.turn { answers == 60 }
            #expect(answers == 60)
            #expect((1...3).contains(most), "\(most) connections")
        }

        @Test("the totals of a database that stands still are those of the last answer, at once")
        func totals() throws {
            let database = try TestDatabase("-c fsync=off")
            let looped = LoopedStore(try database.store())
            let bench = try Bench { _ in looped }
            try bench.commit(try bench.enter().key, [RelaySamples.change(1, 1, 1)])
            #expect(looped.totals.versionCount == 1)
            try database.signalSessions(SIGSTOP)
            for _ in 0..<3 {
                let start = Self.milliseconds
                #expect(looped.store.totals.versionCount == 1)
                #expect(Self.milliseconds - start < 500)
                looped.loop.turn(milliseconds: 700) { false }
            }
            try database.signalSessions(SIGCONT)
        }

        @Test("a host that answers nothing costs its own time, and the next one is tried")
        func silentHost() throws {
            let database = try SharedDatabase.cleared()
            let silent = try LoopbackSocket(isListening: true)
            let address = try PostgreSQLAddress(
                "postgresql://relay@/postgres?host=127.0.0.1,\(database.folder)&port=\(silent.port),5432"
            )
            let start = Self.milliseconds
            let store = try PostgreSQLRelayStore(
                address, limits: RelayLimits(), drawBits: { UInt64.random(in: 1 ... .max) })
            let first = Self.milliseconds - start
            #expect(first >= 1900 && first < 8000, "\(first) ms")
            let looped = LoopedStore(store)
            let bench = try Bench { _ in looped }
            let key = try bench.enter().key
            // The host that was right is tried first from now on.
            looped.forget(Bench.space)
            let next = Self.milliseconds
            #expect(try bench.commit(key, [RelaySamples.change(1, 1, 1)]).through == 1)
            #expect(Self.milliseconds - next < 1500)
        }

        private static var milliseconds: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
        }
    }
#endif
