import Core
import Glibc

/// The numbers of the last listing on this device, kept beside the store.
enum Listing {
    /// Remembers which to-do has which number, from 1.
    ///
    /// A listing without any leaves the numbers of the one before.
    static func write(_ folder: String, _ ids: [RecordID]) {
        if ids.isEmpty { return }
        let path = folder + "/listing"
        let temporary = "\(path).\(getpid())"
        guard let file = fopen(temporary, "w") else { return }
        for id in ids { fputs(id.hexadecimal + "\n", file) }
        // A listing that cannot be kept costs the numbers, not the list.
        if fclose(file) == 0 { rename(temporary, path) } else { unlink(temporary) }
    }

    /// The to-do that had the number.
    static func read(_ folder: String, number: Int) -> RecordID? {
        let lineByteCount = 33
        guard number > 0, let file = fopen(folder + "/listing", "r") else { return nil }
        defer { fclose(file) }
        guard fseek(file, (number - 1) * lineByteCount, SEEK_SET) == 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 32)
        guard fread(&buffer, 1, 32, file) == 32 else { return nil }
        return RecordID(uuidText: String(decoding: buffer, as: UTF8.self))
    }

    /// The most numbers that are read at once.
    private static let countMax = 2_000

    /// All numbers, from 1, with their to-dos.
    static func all(_ folder: String) -> [(number: Int, id: RecordID)] {
        let lineByteCount = 33
        guard let file = fopen(folder + "/listing", "r") else { return [] }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: lineByteCount * countMax)
        let count = fread(&buffer, 1, buffer.count, file)
        let lines = buffer[..<count].split(separator: UInt8(ascii: "\n"))
        return lines.enumerated().compactMap { index, line in
            RecordID(uuidText: String(decoding: line, as: UTF8.self)).map { (index + 1, $0) }
        }
    }
}
