#if PostgreSQL
    import CLinux
    import Glibc
    import Relay
    import RelayPostgreSQL
    import Testing

    /// A PostgreSQL server of a test's own, in a folder of its own, on a Unix socket alone.
    ///
    /// It runs as an ordinary user, as it refuses to be run by root: as `nobody` there. It is stopped by its process's
    /// number when the last test lets go of it.
    final class TestDatabase {
        /// The folder of the socket and the data.
        let folder: String
        private let name: String

        /// The folder of the server's programs; nil if PostgreSQL is not installed.
        static let programs: String? = {
            for version in (13...20).reversed() {
                let folder = "/usr/lib/postgresql/\(version)/bin"
                if access(folder + "/postgres", X_OK) == 0 { return folder }
            }
            return nil
        }()

        private static var isRoot: Bool { getuid() == 0 }

        /// Makes a server, and starts it.
        init(_ settings: String = "") throws {
            var template = Array("/tmp/tandem-pg-XXXXXX".utf8CString)
            folder = try template.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress, let made = mkdtemp(base) else {
                    throw DatabaseFailure(words: "no folder can be made in /tmp")
                }
                return String(cString: made)
            }
            name = String(folder.suffix(6)).lowercased()
            if Self.isRoot, let nobody = getpwnam("nobody") {
                chown(folder, nobody.pointee.pw_uid, nobody.pointee.pw_gid)
            }
            let made = try Self.run(
                "initdb", ["-D", data, "-A", "trust", "-U", "relay", "--no-sync", "-N"])
            guard made == 0 else { throw DatabaseFailure(words: "initdb ended with \(made)") }
            try start(settings)
        }

        deinit {
            stop(.immediately)
            _ = try? Self.spawn("/bin/rm", ["-rf", folder])
        }

        var data: String { folder + "/data" }

        /// The address of a database in it; `postgres` is there from the beginning.
        var url: String { "postgresql://relay@/postgres?host=\(folder)" }

        func address(_ options: String = "") throws -> PostgreSQLAddress {
            try PostgreSQLAddress(url + options)
        }

        // MARK: The server

        /// Starts the server; after a `kill -9` its children have to be gone first.
        func start(_ settings: String = "") throws {
            let options = "-c listen_addresses='' -k \(folder) -c max_connections=40 \(settings)"
            for _ in 0..<50 {
                let ended = try Self.run(
                    "pg_ctl",
                    ["-D", data, "-s", "-w", "-o", options, "-l", folder + "/log", "start"])
                if ended == 0 { return }
                usleep(100_000)
            }
            throw DatabaseFailure(words: "the server does not start; see \(folder)/log")
        }

        enum Stopping {
            case immediately, orderly
        }

        /// Stops it.
        func stop(_ kind: Stopping = .orderly) {
            let mode =
                switch kind {
                case .immediately: "immediate"
                case .orderly: "fast"
                }
            _ = try? Self.run("pg_ctl", ["-D", data, "-s", "-w", "-m", mode, "stop"])
        }

        /// The number of the server's first process.
        var process: pid_t? {
            guard let file = fopen(data + "/postmaster.pid", "r") else { return nil }
            defer { fclose(file) }
            var number: CInt = 0
            var line = [CChar](repeating: 0, count: 64)
            guard fgets(&line, 64, file) != nil else { return nil }
            number = atoi(line)
            return number > 1 ? number : nil
        }

        /// Ends it as a power cut does.
        func killServer() throws {
            let process = try #require(process)
            kill(process, SIGKILL)
        }

        /// Runs statements by the client program.
        func run(_ statements: String) throws {
            let ended = try Self.spawn(
                (Self.programs ?? "") + "/psql",
                [
                    "-h", folder, "-U", "relay", "-q", "-v", "ON_ERROR_STOP=1", "-c", statements,
                    "postgres",
                ])
            guard ended == 0 else { throw DatabaseFailure(words: "psql ended with \(ended)") }
        }

        /// Writes the tables of relays to a file.
        func dump(to file: String) throws {
            let ended = try Self.run(
                "pg_dump",
                ["-h", folder, "-U", "relay", "-n", "tandem_relay", "-f", file, "postgres"])
            guard ended == 0 else { throw DatabaseFailure(words: "pg_dump ended with \(ended)") }
        }

        /// Reads such a file in.
        func read(_ file: String) throws {
            let ended = try Self.run(
                "psql",
                [
                    "-h", folder, "-U", "relay", "-q", "-v", "ON_ERROR_STOP=1", "-f", file,
                    "postgres",
                ])
            guard ended == 0 else { throw DatabaseFailure(words: "psql ended with \(ended)") }
        }

        // MARK: Programs

        /// Runs one of PostgreSQL's programs as an ordinary user.
        static func run(_ program: String, _ words: [String]) throws -> Int32 {
            guard let programs else { throw DatabaseFailure(words: "PostgreSQL is not installed") }
            let path = programs + "/" + program
            if isRoot {
                return try spawn("/usr/sbin/runuser", ["-u", "nobody", "--", path] + words)
            }
            return try spawn(path, words)
        }

        static func spawn(_ path: String, _ words: [String]) throws -> Int32 {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            // A server that is started keeps these, and must not keep the test's own.
            for descriptor: CInt in 0...2 {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            }
            var arguments = ([path] + words).map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            var pid = pid_t()
            guard posix_spawn(&pid, path, &actions, nil, &arguments, environ) == 0 else {
                throw DatabaseFailure(words: "\(path) cannot be run")
            }
            var status: CInt = 0
            while waitpid(pid, &status, 0) < 0, errno == EINTR {}
            return (status & 0x7f) == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
        }
    }

    /// Gives the tests of a suite one server, which is stopped when the last of them has ended.
    struct SharedDatabase: SuiteTrait, TestScoping {
        /// The server of the suite that runs.
        @TaskLocal private static var shared: Box?

        private struct Box: @unchecked Sendable {
            let database: TestDatabase
        }

        /// The server, without a relay's tables.
        static func cleared() throws -> TestDatabase {
            let database = try #require(shared).database
            try database.run("DROP SCHEMA IF EXISTS tandem_relay CASCADE")
            return database
        }

        func provideScope(
            for test: Test, testCase: Test.Case?,
            performing function: @Sendable () async throws -> Void
        ) async throws {
            let box = Box(database: try TestDatabase("-c fsync=off"))
            try await Self.$shared.withValue(box) { try await function() }
        }
    }

    /// The reason that keeps a test from its database.
    struct DatabaseFailure: Error {
        let words: String
    }
#endif
