import Core

/// The number of held deletes in the records of devices, as other devices hear it.
extension MassDeleteGuard {
    /// Publishes the number of held deletes in this device's record; nothing is written where it says so
    /// already.
    ///
    /// Held deletes keep nothing from leaving, so this reaches the others while they are held.
    /// - Returns: whether anything was written.
    @discardableResult
    func publishHeldDeletes() throws(StoreFault) -> Bool {
        let name = RecordName(deviceOf: store.replica)
        guard let own = try store.record(name), !own.verdict.isDeleted else { return false }
        let count = try heldDeletes().reduce(0) { $0 + $1.deletedCount }
        let value = count == 0 ? Value.null : .int(Int64(count))
        let field = Field.number(Self.heldField)
        let stale = try formerDevices(counting: field)
        let isTold = own.record.visible(field) ?? .null == value
        if isTold, stale.isEmpty { return false }
        return try store.edit { transaction throws(StoreFault) in
            for former in stale { try transaction.update(former, [Assignment(field, .null)]) }
            if !isTold { try transaction.update(name, [Assignment(field, value)]) }
            return true
        }
    }

    /// The records of former replicas of this store that still publish a number.
    ///
    /// The original of a copy keeps its own: it still runs elsewhere.
    private func formerDevices(counting field: Field) throws(StoreFault) -> [RecordName] {
        var found: [RecordName] = []
        for change in try store.identityChanges() {
            if change.reason.isCopy {
                found = []
                continue
            }
            let former = RecordName(deviceOf: change.old)
            if change.old != store.replica, let record = try store.record(former),
                !record.verdict.isDeleted, record.record.visible(field) ?? .null != .null
            {
                found.append(former)
            }
        }
        return found
    }
}
