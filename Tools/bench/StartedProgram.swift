import Glibc

/// A program that runs beside this one, which ends it at the latest when nobody needs it any more.
final class StartedProgram {
    private let words: [String]
    private let identifier: pid_t
    private let start = Cost.wall
    private var isOver = false

    /// Starts it, without input.
    ///
    /// - Parameter output: where its output goes; nil for nowhere.
    /// - Parameter errors: where its messages go; nil for where those of this program do.
    init(_ words: [String], output: String? = nil, errors: String? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output ?? "/dev/null", flags, 0o600)
        if let errors { posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var identifier = pid_t()
        guard posix_spawnp(&identifier, words[0], &actions, nil, &arguments, environ) == 0 else {
            throw BenchError.failed("cannot run \(words[0])")
        }
        self.words = words
        self.identifier = identifier
    }

    deinit {
        guard !isOver else { return }
        kill(identifier, SIGTERM)
        waitpid(identifier, nil, 0)
    }

    /// Waits for its end.
    ///
    /// - Parameter statuses: the exit codes that are expected; nil for any.
    /// - Returns: what it cost, and its exit code.
    @discardableResult
    func wait(statuses: [CInt]? = [0]) throws -> (took: CommandBenchmarks.Took, status: CInt) {
        var status: CInt = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        isOver = true
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        let took = CommandBenchmarks.Took(
            wall: (Cost.wall - start) * 1000,
            cpu: (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1000,
            peakMebibytes: Double(usage.ru_maxrss) / 1024)
        let code = status >> 8 & 0xff
        if let statuses, !statuses.contains(code) || status & 0x7f != 0 {
            throw BenchError.failed("`\(words.joined(separator: " "))` ended with \(status >> 8)")
        }
        return (took, code)
    }

    /// Asks it to end, and waits until it has.
    func end() throws {
        kill(identifier, SIGTERM)
        try wait()
    }

    /// The first line of a file that it writes, as soon as that is whole.
    func awaitLine(of path: String) throws -> String {
        for _ in 0..<20_000 {
            if let text = try? Self.text(path), let end = text.firstIndex(of: "\n") {
                return String(text[..<end])
            }
            usleep(1000)
        }
        throw BenchError.failed("`\(words.joined(separator: " "))` writes nothing")
    }

    /// The beginning of a file.
    static func text(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw BenchError.failed("cannot read \(path)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
