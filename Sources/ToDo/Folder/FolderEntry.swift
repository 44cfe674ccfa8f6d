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
        var bytes = [Self.version]
        func add(_ part: [UInt8]?) {
            let count = part.map { UInt32($0.count) } ?? .max
            for shift in [24, 16, 8, 0] {
                bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
            }
            bytes += part ?? []
        }
        add(Self.bytes(identifier))
        add(text)
        add(Self.bytes(seen))
        add(revision.map { Array($0.utf8) })
        switch intent {
        case nil: break
        case .remove: add(nil)
        case .write(let text, let seen):
            add(text)
            add(Self.bytes(seen))
        }
        return bytes
    }

    /// Reads what `bytes` wrote; nil for anything else.
    init?(bytes: [UInt8]) {
        guard bytes.first == Self.version else { return nil }
        var rest = bytes[1...]
        var parts: [[UInt8]?] = []
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let count = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            rest = rest.dropFirst(4)
            if count == .max {
                parts.append(nil)
                continue
            }
            guard rest.count >= Int(count) else { return nil }
            parts.append(Array(rest.prefix(Int(count))))
            rest = rest.dropFirst(Int(count))
        }
        guard (4...6).contains(parts.count), let id = parts[0], id.count == 16,
            let seen = parts[2].flatMap(Self.vector)
        else { return nil }
        self.init(
            identifier: Self.number(id[...]), text: parts[1], seen: seen,
            revision: parts[3].map { String(decoding: $0, as: UTF8.self) })
        if parts.count == 5 { intent = .remove }
        if parts.count == 6 {
            guard let text = parts[4], let seen = parts[5].flatMap(Self.vector) else { return nil }
            intent = .write(text, seen: seen)
        }
    }

    private static func bytes(_ number: UInt128) -> [UInt8] {
        stride(from: 120, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> UInt128($0))
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    private static func bytes(_ vector: VersionVector) -> [UInt8] {
        vector.entries.flatMap { bytes($0.replica.value) + bytes(UInt128($0.counter)).suffix(8) }
    }

    private static func vector(_ bytes: [UInt8]) -> VersionVector? {
        guard bytes.count % 24 == 0 else { return nil }
        let entries = stride(from: 0, to: bytes.count, by: 24).map { start in
            VersionVector.Entry(
                replica: ReplicaID(value: number(bytes[start..<start + 16])),
                counter: UInt64(truncatingIfNeeded: number(bytes[start + 16..<start + 24])))
        }
        return VersionVector(sorted: entries)
    }
}

/// Which writes of this store were taken from a folder: where both sides changed one field, each value has
/// to be told from the other, although this device wrote both.
///
/// The signature is local metadata: it stays on this device, and only while something is in
/// conflict.
enum FolderSignature {
    static let namespace = "folder-writes"

    static func name(_ id: RecordID, _ dot: Dot) -> String {
        "\(UUIDText.text(id.value)) \(UUIDText.text(dot.replica.value)) \(dot.counter)"
    }

    static func record(named name: String) -> RecordID? {
        name.split(separator: " ").first.flatMap { UUIDText.value(String($0)) }
            .map { RecordID(value: $0) }
    }
}

extension FolderPass {
    /// Remembers that what was written to a record since then came from this folder, if it is in conflict.
    func sign(
        _ id: RecordID, since clock: VersionVector, _ transaction: Transaction
    ) throws(StoreFault) {
        guard let record = try transaction.record(id)?.record, !record.fieldConflicts.isEmpty else {
            return
        }
        for write in record.writes where !clock.covers(write.dot) {
            try transaction.setLocalMetadata(
                Array(sync.shownName.utf8), named: FolderSignature.name(id, write.dot),
                in: FolderSignature.namespace)
        }
    }

    /// Forgets that of records which are in conflict no more.
    func dropSignatures(_ transaction: Transaction) throws(StoreFault) {
        for name in try sync.todos.store.localMetadata(in: FolderSignature.namespace).keys {
            if let id = FolderSignature.record(named: name),
                let stored = try transaction.record(id),
                !stored.record.fieldConflicts.isEmpty
            {
                continue
            }
            try transaction.setLocalMetadata(nil, named: name, in: FolderSignature.namespace)
        }
    }
}
