import Glibc

/// A file of the folder `Protocol` that is made by a test from the code, and compared ever after.
///
/// With `TANDEM_WRITE_VECTORS=1` in the environment it is written instead.
package enum FrozenFile {
    private static let folder =
        #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Protocol/"

    /// Compares a text with a file, or writes the file.
    ///
    /// - Parameter path: from the folder `Protocol`.
    /// - Returns: the first difference; nil if there is none.
    package static func difference(_ text: String, from path: String) -> String? {
        if TestSettings.number("TANDEM_WRITE_VECTORS") == 1 {
            return write(text, to: folder + path) ? nil : "\(path) cannot be written"
        }
        guard let old = read(folder + path) else { return "\(path) cannot be read" }
        let (mine, frozen) = (text.split(separator: "\n"), old.split(separator: "\n"))
        for (number, pair) in zip(mine, frozen).enumerated() where pair.0 != pair.1 {
            return "\(path): line \(number + 1), blank ones not counted, would be \(pair.0)"
        }
        return old == text ? nil : "\(path) has \(frozen.count) lines, would have \(mine.count)"
    }

    private static func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 22)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    private static func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        let bytes = Array(text.utf8)
        let count = fwrite(bytes, 1, bytes.count, file)
        return fclose(file) == 0 && count == bytes.count
    }
}
