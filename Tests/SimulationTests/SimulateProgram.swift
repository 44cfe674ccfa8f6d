import Glibc
import Testing

/// The program `simulate`, beside the tests' own.
enum SimulateProgram {
    /// Runs it, or another program; the text that it wrote to both streams, and its exit code.
    static func run(
        _ words: [String], input: [UInt8] = [], program other: String? = nil
    ) throws -> (code: Int32, output: String, errors: String) {
        let paths = (0..<3).map {
            "/tmp/simulate-test-\(getpid())-\(UInt64.random(in: 0 ... .max))-\($0)"
        }
        defer { for path in paths { unlink(path) } }
        let file = try #require(fopen(paths[0], "w"))
        fwrite(input, 1, input.count, file)
        fclose(file)
        let program = other ?? folder + "/simulate"
        var arguments: [UnsafeMutablePointer<CChar>?] = ([program] + words).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        arguments.append(nil)
        var events = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&events)
        defer { posix_spawn_file_actions_destroy(&events) }
        posix_spawn_file_actions_addopen(&events, 0, paths[0], O_RDONLY, 0)
        for stream in 1...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(
                &events, stream, paths[Int(stream)], O_WRONLY | O_CREAT, 0o600)
        }
        var process = pid_t()
        var status: Int32 = -1
        try #require(posix_spawn(&process, program, &events, nil, arguments, environ) == 0)
        waitpid(process, &status, 0)
        // The number stands in the second byte, if no signal ended it.
        let code = status & 0x7f == 0 ? status >> 8 & 0xff : -1
        return (code, try text(paths[1]), try text(paths[2]))
    }

    private static var folder: String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }
        return String(
            decoding: path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
    }

    private static func text(_ path: String) throws -> String {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        // Nothing that a test asks for is as long as that.
        for _ in 0..<64 {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
