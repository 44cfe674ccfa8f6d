import Core
import Storage

/// Which writes of this store were taken from a folder: where both sides changed one field, each value has
/// to be told from the other, although this device wrote both.
///
/// That is remembered beside the records on this device alone, and only as long as something is in conflict.
enum FolderSignature {
    static let drawer = "folder writes"

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
            try transaction.setMemo(
                Array(sync.shownName.utf8), named: FolderSignature.name(id, write.dot),
                in: FolderSignature.drawer)
        }
    }

    /// Forgets that of records which are in conflict no more.
    func dropSignatures(_ transaction: Transaction) throws(StoreFault) {
        for name in try sync.todos.store.memos(in: FolderSignature.drawer).keys {
            if let id = FolderSignature.record(named: name),
                let stored = try transaction.record(id),
                !stored.record.fieldConflicts.isEmpty
            {
                continue
            }
            try transaction.setMemo(nil, named: name, in: FolderSignature.drawer)
        }
    }
}
