import Core

/// Who was met, and what the other devices hear of deletes that wait here: their own deletes may be among them.
extension Store {
    /// The field of a device's record that says how many deletes wait there; absent or null if none do.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    package static let heldField: UInt32 = 9

    /// A contact is written down again after so long; milliseconds.
    private static let contactMilliseconds: Int64 = 60_000

    /// Notes that this store and a peer had all of each other just now, also where neither had anything new.
    package func noteContact(with peer: ReplicaID) throws(StoreFault) {
        let now = environment.wallMilliseconds()
        let known = try summary().peers.first { $0.replica == peer }
        guard let known, abs(now - known.lastContact) >= Self.contactMilliseconds else { return }
        try changing { () throws(StoreFault) in
            guard let place = state.replicas.place(of: peer) else { return }
            let row = try connection.statement(
                "UPDATE checkpoint SET last_contact = ? WHERE replica = ?")
            row.bind(1, now)
            row.bind(2, Int64(place))
            try row.run()
        }
    }

    /// Says in this device's record how many deletes wait here for a person's word; nothing is written where
    /// it says so already.
    ///
    /// What is held keeps nothing from leaving, so this reaches the others while it waits, by every way.
    /// - Returns: whether anything was written.
    @discardableResult
    package func tellHeldDeletes() throws(StoreFault) -> Bool {
        let id = RecordID(value: replica.value)
        guard let own = try record(id), !own.verdict.isDeleted else { return false }
        let count = try heldDeletes().reduce(0) { $0 + $1.deletedCount }
        let value = count == 0 ? Value.null : .int(Int64(count))
        let field = Field.number(Self.heldField)
        // What it was before it took a new id speaks no more; but what a copy was goes on elsewhere.
        var stale: [RecordID] = []
        let copies = IdentityDoubt.copies.map(\.description)
        for change in try identityChanges() {
            if copies.contains(change.reason) {
                stale = []
                continue
            }
            let former = RecordID(value: change.old.value)
            if former != id, let found = try record(former), !found.verdict.isDeleted,
                found.record.visible(field) ?? .null != .null
            {
                stale.append(former)
            }
        }
        let isTold = own.record.visible(field) ?? .null == value
        if isTold, stale.isEmpty { return false }
        return try edit { transaction throws(StoreFault) in
            for former in stale { try transaction.update(former, [Assignment(field, .null)]) }
            if !isTold { try transaction.update(id, [Assignment(field, value)]) }
            return true
        }
    }
}
