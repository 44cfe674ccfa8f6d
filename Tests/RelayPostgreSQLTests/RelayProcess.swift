#if PostgreSQL
    import Core
    import Glibc
    import Testing

    /// A `tandem-relay` of a test's own, with spaces without encryption, on this machine in plain.
    final class RelayProcess {
        /// The number of the process.
        let process: pid_t
        /// The port at which devices come.
        let port: UInt16

        private static let variable = "TANDEM_RELAY_STORE"

        /// Starts it, and waits until it listens.
        init(on database: TestDatabase, name: String) throws {
            let portFile = database.folder + "/port-" + name
            let words = [
                "serve", "listen=127.0.0.1:0",
                "folder=\(database.folder)/relay",
                "plain-spaces=yes", "log-level=error", "port-file=\(portFile)",
            ]
            let environment = ["\(Self.variable)=\(database.url)", "PATH=/usr/bin:/bin"]
            process = try Self.spawn(Self.program(), words, environment)
            var found: UInt16?
            for _ in 0..<100 where found == nil {
                usleep(50_000)
                found = Self.port(in: portFile)
            }
            guard let found else {
                kill(process, SIGKILL)
                throw DatabaseFailure(words: "the relay does not listen")
            }
            port = found
        }

        deinit {
            kill(process, SIGKILL)
            var status: CInt = 0
            waitpid(process, &status, 0)
        }

        /// Runs one operation to its end.
        ///
        /// - Returns: the exit code.
        static func run(_ words: [String], on database: TestDatabase) throws -> Int32 {
            let environment = ["\(variable)=\(database.url)", "PATH=/usr/bin:/bin"]
            let process = try spawn(program(), words, environment)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        }

        /// The words of its command line, as everybody on the machine can read them.
        var commandLine: String {
            guard let file = fopen("/proc/\(process)/cmdline", "r") else { return "" }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = fread(&bytes, 1, bytes.count, file)
            return String(decoding: bytes[..<count], as: UTF8.self)
        }

        /// The program, which a build leaves beside the tests.
        private static func program() throws -> String {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/exe", &buffer, buffer.count)
            let own = String(
                decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let folder = own[...(own.lastIndex(of: "/") ?? own.startIndex)]
            let path = "\(folder)tandem-relay"
            guard access(path, X_OK) == 0 else {
                throw DatabaseFailure(words: "there is no \(path)")
            }
            return path
        }

        private static func port(in file: String) -> UInt16? {
            guard let file = fopen(file, "r") else { return nil }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard fgets(&line, 256, file) != nil else { return nil }
            let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            // relay://HOST:PORT, with # and the fingerprint behind it if there is a key.
            let address = String(decoding: bytes, as: UTF8.self).split { $0 == "#" || $0 == "\n" }
            return address.first?.split(separator: ":").last.flatMap { UInt16($0) }
        }

        private static func spawn(
            _ path: String, _ words: [String], _ environment: [String]
        ) throws -> pid_t {
            var arguments = ([path] + words).map { strdup($0) } + [nil]
            var variables = environment.map { strdup($0) } + [nil]
            defer { for text in arguments + variables { free(text) } }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_RDWR, 0)
            var made = pid_t()
            guard posix_spawn(&made, path, &actions, nil, &arguments, &variables) == 0 else {
                throw DatabaseFailure(words: "\(path) cannot be run")
            }
            return made
        }
    }

    /// A made-up device with a link to a relay, in plain.
    final class PlainDevice {
        private let descriptor: CInt
        private var decoder = FrameDecoder()
        private let replica: ReplicaID

        /// Connects, and greets as a device that is to be told at once of what comes.
        init(_ number: UInt128, at relay: RelayProcess, space: SpaceID) throws {
            replica = ReplicaID(value: number)
            descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = relay.port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard result == 0 else { throw DatabaseFailure(words: "cannot connect: \(errno)") }
            var time = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
            var one: CInt = 1
            setsockopt(
                descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size)
            )
            say(
                .relayHello(
                    RelayHello(
                        space: space, replica: replica, features: .live, generation: 0, read: nil)))
            _ = try hear { if case .downloadDone = $0 { true } else { false } }
        }

        deinit { close(descriptor) }

        /// Sends a message.
        func say(_ message: Message) {
            let bytes = Frame.encode(message)
            _ = send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
        }

        /// Uploads a version, without waiting for the acknowledgement.
        func upload(_ change: Change, through sequence: UInt64) {
            let through = Checkpoint(epoch: EpochID(value: 99), sequence: sequence)
            say(.changes(ChangeBatch(changes: [change], through: through)))
        }

        /// Waits for a message; acknowledges the batches that come before it.
        func hear(_ isWanted: (Message) -> Bool) throws -> Message {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                while let message = try decoder.next() {
                    if case .changes = message {
                        batchCount += 1
                        say(.acknowledge(batchCount))
                    }
                    if case .ping(let number) = message { say(.pong(number)) }
                    if isWanted(message) { return message }
                }
                let count = recv(descriptor, &buffer, buffer.count, 0)
                guard count > 0 else { throw DatabaseFailure(words: "nothing came in time") }
                buffer[..<count].withUnsafeBytes { decoder.append($0) }
            }
        }

        private var batchCount: UInt64 = 0

        /// Waits for a version of a record.
        func hear(record: RecordName) throws {
            _ = try hear { message in
                guard case .changes(let batch) = message else { return false }
                return batch.changes.contains { $0.name == record }
            }
        }
    }
#endif
