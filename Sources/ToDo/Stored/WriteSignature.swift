import Core
import Storage

/// Which writes of this store were taken from another program, in a folder or through a server: where both sides
/// changed one field, each value has to be told from the other, although this device wrote both.
///
/// The signature is local metadata: it stays on this device, and only while something is in
/// conflict.
enum WriteSignature {
    static let namespace = "folder-writes"

    static func name(_ id: RecordID, _ dot: Dot) -> String {
        "\(UUIDText.text(id.value)) \(UUIDText.text(dot.replica.value)) \(dot.counter)"
    }

    static func record(named name: String) -> RecordID? {
        name.split(separator: " ").first.flatMap { UUIDText.value(String($0)) }
            .map { RecordID(value: $0) }
    }
}

extension ToDoStore {
    /// Remembers the author of what was written to a record since then, if it is in conflict.
    func sign(
        _ id: RecordID, since clock: VersionVector, by author: String, _ transaction: Transaction
    ) throws(StoreFault) {
        guard let record = try transaction.record(id)?.record, !record.fieldConflicts.isEmpty else {
            return
        }
        for write in record.writes where !clock.covers(write.dot) {
            try transaction.setLocalMetadata(
                Array(author.utf8), named: WriteSignature.name(id, write.dot),
                in: WriteSignature.namespace)
        }
    }

    /// Forgets the authors of records which are in conflict no more.
    func dropSignatures(_ transaction: Transaction) throws(StoreFault) {
        for name in try store.localMetadata(in: WriteSignature.namespace).keys {
            if let id = WriteSignature.record(named: name),
                let stored = try transaction.record(id),
                !stored.record.fieldConflicts.isEmpty
            {
                continue
            }
            try transaction.setLocalMetadata(nil, named: name, in: WriteSignature.namespace)
        }
    }
}
