import Core
import Storage

/// Who gave the values of a conflict that was opened again.
///
/// An undo or a restore writes them under the dots of the device that does it, as every write is by the one
/// that makes it. Who gave them first the journal tells, where it does so without doubt.
extension ToDoStore {
    /// Whether a value was written together with another one of the same field: only what puts a whole
    /// conflict back does so.
    static func isPutBack(
        _ candidate: FieldConflict.Candidate, in conflict: FieldConflict
    ) -> Bool {
        conflict.candidates.contains {
            $0.dot != candidate.dot && $0.dot.replica == candidate.dot.replica
                && $0.timestamp == candidate.timestamp
        }
    }

    func putBack(
        _ candidate: FieldConflict.Candidate, by device: String, _ field: Field, of id: RecordID,
        _ own: ReplicaID
    ) throws(StoreFault) -> ToDoConflict.Candidate {
        let isOwn = candidate.dot.replica == own
        let origin = try origin(of: candidate, field, of: id, isPutBackHere: isOwn)
        let giver = if let origin { try deviceName(origin.author) } else { device }
        let time = candidate.timestamp.milliseconds
        return ToDoConflict.Candidate(
            value: candidate.value, device: giver,
            isMine: origin.map { $0.kind == .local } ?? false,
            time: origin?.timestamp.milliseconds ?? time,
            putBack: ToDoConflict.PutBack(
                device: device, isMine: isOwn, time: time, isOriginKnown: origin != nil))
    }

    /// The entry of the journal by which the value came; nil if it may have been one or another.
    ///
    /// What this device typed itself it knows anyway. Of what arrived it knows only if nobody but one
    /// device ever gave that value, as another one may have decided for it.
    private func origin(
        of candidate: FieldConflict.Candidate, _ field: Field, of id: RecordID,
        isPutBackHere: Bool
    ) throws(StoreFault) -> JournalEntry? {
        let entries = try store.journal(of: id).filter {
            $0.field == field && $0.timestamp < candidate.timestamp
        }
        // Deciding, and undoing that, gives no value first.
        let decisions = Set(
            entries.filter { $0.kind == .dropped || $0.kind == .opened }.map(\.timestamp))
        let gifts = entries.filter { entry in
            entry.after ?? .null == candidate.value && !decisions.contains(entry.timestamp)
                && (entry.kind == .local
                    || isPutBackHere && (entry.kind == .merged || entry.kind == .beside))
        }
        return Set(gifts.map(\.author)).count == 1 ? gifts.first : nil
    }
}
