import Causality
import Records
import Wire

/// Changes that cannot be integrated here are kept as they came, passed on, listed and tried again.
extension Store {
    /// A change that was set aside.
    package struct Parked: Hashable, Sendable {
        /// The change as it came.
        package let change: Change
        /// Why it could not be integrated.
        package let reason: String
        /// Its arrival number here.
        package let sequence: UInt64
    }

    /// The changes that are set aside, oldest first.
    package func parked() throws(StoreFault) -> [Parked] {
        try refresh()
        let rows = try connection.statement(
            "SELECT sequence, id, clock, body, reason FROM parked ORDER BY sequence")
        defer { rows.reset() }
        var found: [Parked] = []
        while try rows.step() {
            if let change = parkedChange(rows) {
                found.append(Parked(change: change, reason: rows.text(4), sequence: rows.unsigned(0)))
            }
        }
        return found
    }

    /// The change in a row of `sequence, id, clock, body`.
    func parkedChange(_ row: PreparedStatement) -> Change? {
        guard let id = row.identifier(1),
            let clock = row.withBytes(2, { RowCodec.clock($0, state.replicas) })
        else { return nil }
        return Change(id: RecordID(value: id), clock: clock, body: row.bytes(3))
    }

    /// Sets a change aside.
    ///
    /// - Returns: false if the same change is there already.
    func park(_ change: Change, because reason: String) throws(StoreFault) -> Bool {
        let clock = RowCodec.clockBytes(change.clock, &state.replicas)
        let known = try connection.statement(
            "SELECT 1 FROM parked WHERE id = ? AND clock = ? AND body = ?")
        known.bind(1, identifier: change.id.value)
        known.bind(2, clock)
        known.bind(3, change.body)
        defer { known.reset() }
        if try known.step() { return false }
        state.sequence += 1
        let row = try connection.statement("INSERT INTO parked VALUES (?, ?, ?, ?, ?)")
        row.bind(1, state.sequence)
        row.bind(2, identifier: change.id.value)
        row.bind(3, clock)
        row.bind(4, change.body)
        row.bind(5, reason)
        try row.run()
        let stored = try find(change.id)?.record.clock ?? VersionVector()
        let before = stored.joined(with: state.parked[change.id] ?? VersionVector())
        let hidden = change.clock.joined(with: state.parked[change.id] ?? VersionVector())
        state.parked[change.id] = hidden
        state.replicas.account(change.id, from: before, to: stored.joined(with: hidden))
        return true
    }

    /// Tries again what was set aside: this version may read what an older one could not.
    func retryParked() throws(StoreFault) {
        if state.parked.isEmpty { return }
        let ready = try parked().filter { (try? BodyCodec.decode($0.change.body, clock: $0.change.clock, allowElided: false)) != nil }
        if ready.isEmpty { return }
        try changing { () throws(StoreFault) in
            for item in ready { try unpark(item) }
            var result = Integration()
            for item in ready { try integrateAgain(item.change, &result) }
        }
    }

    /// Takes a change out of those set aside, and its clock out of the tallies.
    private func unpark(_ item: Parked) throws(StoreFault) {
        let row = try connection.statement("DELETE FROM parked WHERE sequence = ?")
        row.bind(1, item.sequence)
        try row.run()
        let id = item.change.id
        let stored = try find(id)?.record.clock ?? VersionVector()
        let before = stored.joined(with: state.parked[id] ?? VersionVector())
        var left: VersionVector?
        for other in try parkedClocks(of: id) { left = left?.joined(with: other) ?? other }
        state.parked[id] = left
        state.replicas.account(id, from: before, to: stored.joined(with: left ?? VersionVector()))
    }

    private func parkedClocks(of id: RecordID) throws(StoreFault) -> [VersionVector] {
        let rows = try connection.statement("SELECT clock FROM parked WHERE id = ?")
        rows.bind(1, identifier: id.value)
        defer { rows.reset() }
        var clocks: [VersionVector] = []
        while try rows.step() {
            if let clock = rows.withBytes(0, { RowCodec.clock($0, state.replicas) }) {
                clocks.append(clock)
            }
        }
        return clocks
    }
}
