import Glibc
import Simulation

/// Files by their paths.
enum Files {
    /// All of a file as text.
    static func read(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self)
    }

    /// All of a file; `-` is the standard input.
    static func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor != 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw unreadable(path) }
            if count == 0 { break }
            bytes.append(contentsOf: piece[..<count])
        }
        return bytes
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure(
            ExitCode.noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }

    /// Makes a file, or puts other bytes into it.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw unwritable(path) }
        defer { close(descriptor) }
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            if count <= 0 { throw unwritable(path) }
            start += count
        }
    }

    /// Makes a file of a text.
    static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    /// Makes a folder, if there is none.
    static func makeFolder(_ path: String) throws {
        if mkdir(path, 0o755) != 0, errno != EEXIST { throw unwritable(path) }
    }

    private static func unwritable(_ path: String) -> CommandFailure {
        CommandFailure(
            ExitCode.cannotCreate, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
