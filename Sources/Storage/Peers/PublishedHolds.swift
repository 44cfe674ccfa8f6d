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
        let count = try leastHeldCount()
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

    /// How many deletes are held at the least: those of a device that came from several peers, as from a relay and from the
    /// device itself, count once.
    private func leastHeldCount() throws(StoreFault) -> Int {
        var (count, counted) = (0, Set<ReplicaID>())
        for held in try heldDeletes().sorted(by: { $0.deletedCount > $1.deletedCount }) {
            let authors = held.deleters.isEmpty ? [held.peer] : held.deleters
            if !counted.isDisjoint(with: authors) { continue }
            counted.formUnion(authors)
            count += held.deletedCount
        }
        return count
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
