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
        guard let own = try store.record(name) else { return false }
        let count = try heldDeletes().reduce(0) { $0 + $1.deletedCount }
        let value = count == 0 ? Value.null : .int(Int64(count))
        let field = Field.number(Self.heldField)
        let stale = try formerDevices(counting: field)
        let isTold = own.record.visible(field) ?? .null == value
        if isTold, stale.isEmpty { return false }
        return try store.edit { transaction throws(StoreFault) in
            for former in stale {
                do throws(StoreFault) {
                    try transaction.updateDevice(former, [Assignment(field, .null)])
                } catch .overLimit {
                    // Somebody has filled it; this device's own number is what counts.
                    continue
                }
            }
            if !isTold {
                try transaction.updateDevice(self.store.replica, [Assignment(field, value)])
            }
            return true
        }
    }

    /// The former replicas of this store whose records still publish a number.
    ///
    /// The original of a copy keeps its own: it still runs elsewhere.
    private func formerDevices(counting field: Field) throws(StoreFault) -> [ReplicaID] {
        var found: [ReplicaID] = []
        for change in try store.identityChanges() {
            if change.reason.isCopy {
                found = []
                continue
            }
            let former = RecordName(deviceOf: change.old)
            if change.old != store.replica, let record = try store.record(former),
                !record.verdict.isPurged, record.record.visible(field) ?? .null != .null
            {
                found.append(change.old)
            }
        }
        return found
    }
}
