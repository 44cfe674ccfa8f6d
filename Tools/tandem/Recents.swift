import Core
import Glibc

/// The to-dos that were looked at last on this device, kept beside the store.
enum Recents {
    /// The most that are kept.
    static let countMax = 20

    /// Takes note that to-dos were looked at now; of too many the one not seen for longest goes.
    ///
    /// - Parameter time: milliseconds since 1970.
    static func touch(_ folder: String, _ ids: [RecordID], at time: Int64) {
        let old = read(folder).filter { !ids.contains($0.id) }
        let all = ids.reversed().map { (id: $0, time: time) } + old
        let temporary = "\(folder)/recent.\(getpid())"
        guard let file = fopen(temporary, "w") else { return }
        for entry in all.prefix(countMax) {
            fputs("\(entry.id.hexadecimal) \(entry.time)\n", file)
        }
        if fclose(file) == 0 { rename(temporary, folder + "/recent") } else { unlink(temporary) }
    }

    /// Returns the to-dos that were shown last, the latest first.
    static func read(_ folder: String) -> [(id: RecordID, time: Int64)] {
        guard let file = fopen(folder + "/recent", "r") else { return [] }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = fread(&buffer, 1, buffer.count, file)
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        return lines.prefix(countMax).compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let id = RecordID(uuidText: String(words[0])),
                let time = Int64(words[1])
            else { return nil }
            return (id, time)
        }
    }
}
