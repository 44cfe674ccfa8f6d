import Glibc
import ToDo

/// A file that a command reads.
enum InputFile {
    /// The bytes of a file, or of the standard input for `-`; what is larger than any import may be
    /// is refused before memory is full of it.
    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                .noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        defer { if descriptor != 0 { close(descriptor) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(
                    .noInput, "\(path) cannot be read: \(String(cString: strerror(errno)))")
            }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            if bytes.count > FormatLimits.fileByteCountMax {
                throw CommandFailure(
                    .badData,
                    "\(path) has more than \(FormatLimits.fileByteCountMax) bytes; nothing was read"
                )
            }
        }
    }
}
