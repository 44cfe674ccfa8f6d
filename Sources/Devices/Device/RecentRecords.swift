import Core
import Glibc

/// The records that were looked at last on this device, kept in a file beside the store; they do not sync.
package struct RecentRecords {
    /// A record that was looked at.
    package struct Entry: Sendable {
        /// The record.
        package let id: RecordID
        /// When; milliseconds since 1970-01-01 UTC.
        package let time: Int64
    }

    /// The most that are kept.
    package static let countMax = 20

    private let folder: String

    /// The records last looked at in the store of a folder.
    init(in folder: String) { self.folder = folder }

    /// Takes note that records were looked at; of too many the one not seen for longest goes.
    ///
    /// - Parameter time: milliseconds since 1970-01-01 UTC.
    package func touch(_ ids: [RecordID], at time: Int64) {
        let old = all().filter { !ids.contains($0.id) }
        let entries = ids.reversed().map { Entry(id: $0, time: time) } + old
        let lines = entries.prefix(Self.countMax).map { "\($0.id.hexadecimal) \($0.time)\n" }
        // Without the file only the list of recent records is lost.
        try? PrivateFile.write(
            Array(lines.joined().utf8), to: folder + "/recent", replaces: true, isDurable: false)
    }

    /// Returns the records, the latest first.
    package func all() -> [Entry] {
        guard let bytes = try? PrivateFile.read(folder + "/recent", isSecret: false) else {
            return []
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.prefix(Self.countMax).compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 2, let id = RecordID(uuidText: String(words[0])),
                let time = Int64(words[1])
            else { return nil }
            return Entry(id: id, time: time)
        }
    }
}
