import Core
import Storage

/// The memory of one file: its content when both sides were last brought together.
struct FolderEntry: Equatable {
    /// The step that is about to be done to the file, stored before it is done.
    enum Intent: Equatable {
        /// These bytes, which say what these writes say.
        case write([UInt8], seen: VersionVector)
        case remove
    }

    /// The to-do.
    var identifier: UInt128
    /// The file's content; nil if it was never seen there.
    var text: [UInt8]?
    /// The writes that the file's editor has seen.
    var seen: VersionVector
    var intent: Intent?
    /// The file's revision; see `FolderFile`.
    var revision: String?

    init(identifier: UInt128, text: [UInt8]?, seen: VersionVector, revision: String? = nil) {
        self.identifier = identifier
        self.text = text
        self.seen = seen
        self.revision = revision
    }

    // MARK: As a local metadata

    private static let version: UInt8 = 1

    /// The entry as bytes: parts with their lengths.
    var bytes: [UInt8] {
        var parts = MetadataParts(version: Self.version)
        parts.add(MetadataParts.bytes(identifier))
        parts.add(text)
        parts.add(MetadataParts.bytes(seen))
        parts.add(revision.map { Array($0.utf8) })
        switch intent {
        case nil: break
        case .remove: parts.add(nil)
        case .write(let text, let seen):
            parts.add(text)
            parts.add(MetadataParts.bytes(seen))
        }
        return parts.bytes
    }

    /// Reads what `bytes` wrote; nil for anything else.
    init?(bytes: [UInt8]) {
        guard let parts = MetadataParts.read(bytes, version: Self.version),
            (4...6).contains(parts.count), let id = parts[0], id.count == 16,
            let seen = parts[2].flatMap(MetadataParts.vector)
        else { return nil }
        self.init(
            identifier: MetadataParts.number(id[...]), text: parts[1], seen: seen,
            revision: parts[3].map { String(decoding: $0, as: UTF8.self) })
        if parts.count == 5 { intent = .remove }
        if parts.count == 6 {
            guard let text = parts[4], let seen = parts[5].flatMap(MetadataParts.vector) else {
                return nil
            }
            intent = .write(text, seen: seen)
        }
    }
}
