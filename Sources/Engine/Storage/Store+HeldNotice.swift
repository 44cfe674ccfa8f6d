import Causality
import Merge
import Records

/// What the other devices hear of deletes that wait here: their own deletes may be among them.
extension Store {
    /// The field of a device's record that says how many deletes wait there; absent or null if none do.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    package static let heldField: UInt32 = 9

    /// Says in this device's record how many deletes wait here for a person's word; nothing is written where
    /// it says so already.
    ///
    /// What is held keeps nothing from leaving, so this reaches the others while it waits, by every way.
    /// - Returns: whether anything was written.
    @discardableResult
    package func tellHeldDeletes() throws(StoreFault) -> Bool {
        let id = RecordID(value: replica.value)
        guard let own = try record(id) else { return false }
        let count = try heldDeletes().reduce(0) { $0 + $1.deletedCount }
        let value = count == 0 ? Value.null : .int(Int64(count))
        let field = Field.number(Self.heldField)
        if own.record.visible(field) ?? .null == value { return false }
        return try edit { transaction throws(StoreFault) in
            try transaction.update(id, [Assignment(field, value)])
        }
    }
}
