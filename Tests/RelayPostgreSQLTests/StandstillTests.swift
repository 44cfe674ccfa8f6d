#if PostgreSQL
    import Core
    import Glibc
    import Relay
    import RelayTestSupport
    import Storage
    import Testing

    @Suite("A relay whose PostgreSQL database stands still", .serialized)
    struct StandstillTests {
        private typealias Bench = RelayStoreBench
        private static let (space, other) = (SpaceID(value: 7), SpaceID(value: 8))

        private static func isAcknowledge(_ message: Message) -> Bool {
            if case .acknowledge = message { true } else { false }
        }

        /// Expects that a device is answered at once.
        private static func expectHeartbeat(_ device: PlainDevice, _ number: UInt64) throws {
            let start = milliseconds
            device.say(.ping(number))
            _ = try device.hear { if case .pong(number) = $0 { true } else { false } }
            #expect(milliseconds - start < 1000, "the relay stands still with its database")
        }

        private static var milliseconds: Int {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
        }

        @Test("a row that somebody holds keeps the uploads of its space waiting, and nobody else")
        func lockedRow() throws {
            let database = try TestDatabase("-c fsync=off")
            let relay = try RelayProcess(on: database, name: "a")
            let writer = try PlainDevice(1, at: relay, space: Self.space)
            let idle = try PlainDevice(2, at: relay, space: Self.space)
            let elsewhere = try PlainDevice(3, at: relay, space: Self.other)
            let bench = try Bench { try database.store($0) }
            let visitor = RelayVisitor(fingerprint: [UInt8](repeating: 1, count: 32), day: 9)
            var callCount = 0
            _ = try bench.admit(from: visitor) { _ in
                callCount += 1
                guard callCount == 2 else { return .enter }
                #expect(throws: Never.self) {
                    writer.upload(RelaySamples.change(1, 1, 1), through: 1)
                    for number: UInt64 in 1...2 {
                        try Self.expectHeartbeat(idle, number)
                        elsewhere.upload(
                            RelaySamples.change(UInt128(number), 3, number), through: number)
                        _ = try elsewhere.hear(Self.isAcknowledge)
                    }
                    try Self.expectHeartbeat(writer, 1)
                }
                return .enter
            }
            #expect(callCount == 2)
            _ = try writer.hear(Self.isAcknowledge)
            try idle.hear(record: RelaySamples.change(1, 1, 1).name)
            #expect(try bench.store.examine(Self.space) == [])
        }

        @Test("while all its processes stand still devices are answered, and uploads wait for them")
        func stopped() throws {
            let database = try TestDatabase("-c fsync=off")
            let relay = try RelayProcess(on: database, name: "b")
            let writer = try PlainDevice(1, at: relay, space: Self.space)
            let idle = try PlainDevice(2, at: relay, space: Self.other)
            try database.signalSessions(SIGSTOP)
            writer.upload(RelaySamples.change(1, 1, 1), through: 1)
            for number: UInt64 in 1...4 {
                try Self.expectHeartbeat(idle, number)
                usleep(300_000)
            }
            try Self.expectHeartbeat(writer, 1)
            try database.signalSessions(SIGCONT)
            _ = try writer.hear(Self.isAcknowledge)
            let bench = try Bench { try database.store($0) }
            #expect(try bench.head().versionCount == 1)
        }

        @Test(
            "what waits longer than the relay's patience is refused, comes again, and is there once"
        )
        func refused() throws {
            let database = try TestDatabase("-c fsync=off")
            let relay = try RelayProcess(on: database, name: "c")
            let idle = try PlainDevice(2, at: relay, space: Self.other)
            let change = RelaySamples.change(1, 1, 1)
            let writer = try PlainDevice(1, at: relay, space: Self.space)
            let server = try #require(database.process)
            // Also the one that takes new connections.
            kill(server, SIGSTOP)
            try database.signalSessions(SIGSTOP)
            writer.upload(change, through: 1)
            var (error, number): (PeerError?, UInt64) = (nil, 0)
            let start = Self.milliseconds
            while error == nil, Self.milliseconds - start < 25_000 {
                number += 1
                try Self.expectHeartbeat(idle, number)
                writer.say(.ping(number))
                _ = try writer.hear { message in
                    if case .error(let told) = message { error = told }
                    return error != nil || message == .pong(number)
                }
                usleep(300_000)
            }
            #expect(error?.reason == .storeBusy)
            try database.signalSessions(SIGCONT)
            kill(server, SIGCONT)
            // Longer than no further attempt to connect is made.
            usleep(1_000_000)
            let again = try PlainDevice(1, at: relay, space: Self.space)
            again.upload(change, through: 1)
            _ = try again.hear(Self.isAcknowledge)
            let bench = try Bench { try database.store($0) }
            #expect(try bench.head().versionCount == 1)
            #expect(try bench.store.examine(Self.space) == [])
        }
    }

    extension TestDatabase {
        /// Sends a signal to the server's processes for clients.
        func signalSessions(_ signal: CInt) throws {
            let found = sessions
            for session in found { kill(session, signal) }
            #expect(!found.isEmpty, "the server has no clients")
        }

        /// The server's processes for clients.
        var sessions: [pid_t] {
            guard let parent = process, let folder = opendir("/proc") else { return [] }
            defer { closedir(folder) }
            var found: [pid_t] = []
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                guard let number = pid_t(name), Self.isSession(number, of: parent) else { continue }
                found.append(number)
            }
            return found
        }

        private static func isSession(_ process: pid_t, of parent: pid_t) -> Bool {
            func text(_ file: String) -> String {
                guard let file = fopen("/proc/\(process)/\(file)", "r") else { return "" }
                defer { fclose(file) }
                var bytes = [UInt8](repeating: 0, count: 512)
                let count = fread(&bytes, 1, bytes.count, file)
                return String(decoding: bytes[..<count], as: UTF8.self)
            }
            let fields = text("stat").split(separator: ")").last?.split(separator: " ") ?? []
            guard fields.count > 1, pid_t(fields[1]) == parent else { return false }
            // "postgres: USER DATABASE ADDRESS STATE"; the server's own processes have other names.
            return text("cmdline").hasPrefix("postgres: relay ")
        }
    }
#endif
