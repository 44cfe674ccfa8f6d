import RelayServer

#if Encryption
    import Glibc
    import Relay
    import RelayPostgreSQL
    import Devices
    import Crypto
    import Transport
    import Terminal

    /// A relay in a process of its own, so that what it costs can be told apart.
    final class RelayHost {
        /// Where devices come to.
        let address: RelayAddress
        private let process: pid_t

        /// Starts this program anew, as a relay.
        ///
        /// - Parameter store: the database for its spaces; nil for files in the folder.
        init(folder: String, store: String? = nil) throws {
            mkdir(folder, 0o700)
            var ends: [CInt] = [0, 0]
            guard pipe(&ends) == 0 else { throw BenchError.failed("no pipe") }
            defer { close(ends[0]) }
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
            posix_spawn_file_actions_addclose(&actions, ends[0])
            let words = ["bench", "relay-host", folder]
            unsetenv("TANDEM_RELAY_STORE")
            if let store { setenv("TANDEM_RELAY_STORE", store, 1) }
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
            arguments.append(nil)
            defer { for argument in arguments { free(argument) } }
            var process: pid_t = 0
            let code = posix_spawn(&process, "/proc/self/exe", &actions, nil, &arguments, environ)
            close(ends[1])
            guard code == 0 else { throw BenchError.failed("no relay: errno \(code)") }
            self.process = process
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = read(ends[0], &buffer, buffer.count)
            let line = buffer[..<max(count, 0)].prefix { $0 != 0x0a }
            address = try RelayAddress(parsing: String(decoding: line, as: UTF8.self))
        }

        /// Ends it.
        func stop() {
            kill(process, SIGKILL)
            var status: CInt = 0
            waitpid(process, &status, 0)
        }

        /// The memory it has in use, in bytes.
        var residentByteCount: Int { Cost.memory("VmRSS", of: "\(process)") }

        /// The processor's time that its one thread has taken, in seconds (proc(5), schedstat).
        var cpuSeconds: Double {
            guard let file = fopen("/proc/\(process)/schedstat", "r") else { return 0 }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 128)
            let count = fread(&buffer, 1, buffer.count, file)
            let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
            return (words.first.flatMap { Double($0) } ?? 0) / 1e9
        }

        /// The store of the database that the environment names; nil if it names none.
        private static func shared(_ limits: RelayLimits) throws -> SharedRelayStore? {
            guard let store = getenv("TANDEM_RELAY_STORE") else { return nil }
            #if PostgreSQL
                let address = try PostgreSQLAddress(String(cString: store))
                return SharedRelayStore(
                    try PostgreSQLRelayStore(
                        address, limits: limits, drawBits: SystemEnvironment.random),
                    notices: PostgreSQLNotices(address),
                    sharing: PostgreSQLSharing(address))
            #else
                _ = store
                throw BenchError.failed("this program was built without the trait PostgreSQL")
            #endif
        }

        /// Runs the relay in that other process.
        static func serve(folder: String) throws {
            let certificate = try DeviceCertificate()
            var options = RelayServerOptions(
                hostAndPort: HostAndPort(host: "127.0.0.1", port: 0), certificate: certificate,
                relay: RelayOptions(folder: folder))
            options.networkLinkCountMax = .max
            options.networkUnprovedCountMax = .max
            options.relay.limits.deviceSessionCountMax = .max
            let server = try RelayServer(options, shared: shared(options.relay.limits)) { line in
                guard line.level >= .warning else { return }
                Screen.error(line.text(time: nil) + "\n")
            }
            try server.listen()
            let hostAndPort = HostAndPort(host: "127.0.0.1", port: server.address?.port ?? 0)
            let line = Array(
                "\(RelayAddress(hostAndPort, fingerprint: certificate.fingerprint))\n".utf8)
            guard write(1, line, line.count) == line.count else {
                throw BenchError.failed("nobody listens")
            }
            try server.serve()
        }
    }
#endif
