import Glibc

/// Files and folders that a command line names.
package enum Files {
    /// The bytes of a file, or of the standard input for `-`.
    ///
    /// A longer file than is allowed is refused before memory is full of it.
    package static func read(
        _ path: String, byteCountMax: Int = .max
    ) throws(CommandFailure) -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path) }
        defer { if descriptor != 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw unreadable(path) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: piece[..<count])
            if bytes.count > byteCountMax {
                throw CommandFailure(
                    .badData, "\(path) has more than \(byteCountMax) bytes; nothing was read")
            }
        }
    }

    /// Makes a file, or puts other bytes into it.
    package static func write(
        _ bytes: some Collection<UInt8>, to path: String
    ) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw unwritable(path) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, path: path)
    }

    /// Writes all bytes to a file that is open.
    static func write(
        _ bytes: some Collection<UInt8>, to descriptor: CInt, path: String
    ) throws(CommandFailure) {
        let bytes = Array(bytes)
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

    /// Makes a folder, if there is none.
    package static func makeFolder(_ path: String) throws(CommandFailure) {
        if mkdir(path, 0o755) != 0, errno != EEXIST { throw unwritable(path) }
    }

    static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure(.noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }

    static func unwritable(_ path: String) -> CommandFailure {
        CommandFailure(
            .cannotCreate, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
