#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayTestSupport
    import Testing

    @Suite("Two relay processes on one PostgreSQL database", .serialized, SharedDatabase())
    struct TwoProcessTests {
        private static let space = SpaceID(value: 7)

        @Test("a device at one process is pushed what comes to the other, both ways")
        func pushes() throws {
            let database = try SharedDatabase.cleared()
            let (first, second) = (
                try RelayProcess(on: database, name: "a"), try RelayProcess(on: database, name: "b")
            )
            let writer = try PlainDevice(1, at: first, space: Self.space)
            let reader = try PlainDevice(2, at: second, space: Self.space)
            for counter: UInt64 in 1...50 {
                let change = RelaySamples.change(UInt128(counter), 1, counter)
                writer.upload(change, through: counter)
                try reader.hear(record: change.name)
                if counter % 10 == 0 {
                    let answer = RelaySamples.change(UInt128(counter + 1000), 2, counter)
                    reader.upload(answer, through: counter)
                    try writer.hear(record: answer.name)
                }
            }
            let bench = try RelayStoreBench { try database.store($0) }
            #expect(try bench.head().versionCount == 55)
            #expect(try bench.store.examine(Self.space) == [])
        }

        @Test("what a process committed is there for the other after kill -9")
        func killed() throws {
            let database = try SharedDatabase.cleared()
            let second = try RelayProcess(on: database, name: "d")
            do {
                let first = try RelayProcess(on: database, name: "c")
                let writer = try PlainDevice(1, at: first, space: Self.space)
                writer.upload(RelaySamples.change(1, 1, 1), through: 1)
                _ = try writer.hear { if case .acknowledge = $0 { true } else { false } }
                kill(first.process, SIGKILL)
            }
            let reader = try PlainDevice(2, at: second, space: Self.space)
            let other = try PlainDevice(3, at: second, space: Self.space)
            other.upload(RelaySamples.change(2, 3, 1), through: 1)
            try reader.hear(record: RelaySamples.change(2, 3, 1).name)
            let bench = try RelayStoreBench { try database.store($0) }
            #expect(try bench.head().versionCount == 2)
        }

        @Test("a notice that is lost is made up for within seconds")
        func lost() throws {
            let database = try SharedDatabase.cleared()
            let relay = try RelayProcess(on: database, name: "e")
            let reader = try PlainDevice(2, at: relay, space: Self.space)
            // A process that dies before it tells anybody.
            let bench = try RelayStoreBench { try database.store($0) }
            try bench.commit(try bench.enter().key, [RelaySamples.change(1, 1, 1)])
            try reader.hear(record: RelaySamples.change(1, 1, 1).name)
        }

        @Test("neither the database nor a password is in the words of the process")
        func words() throws {
            let database = try SharedDatabase.cleared()
            let relay = try RelayProcess(on: database, name: "f")
            #expect(relay.commandLine.contains("serve"))
            #expect(!relay.commandLine.contains("postgresql:"))
        }
    }
#endif
