import Core

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
        try parked(after: 0)
    }

    /// The changes that were set aside after an arrival number, oldest first.
    func parked(after sequence: UInt64) throws(StoreFault) -> [Parked] {
        try reading { () throws(StoreFault) in
            let rows = try connection.statement(
                """
                SELECT sequence, id, clock, body, reason FROM parked WHERE sequence > ?
                ORDER BY sequence
                """)
            rows.bind(1, sequence)
            defer { rows.reset() }
            var found: [Parked] = []
            while try rows.step() {
                let change = try parkedChange(rows)
                found.append(
                    Parked(change: change, reason: rows.text(4), sequence: rows.unsigned(0)))
            }
            return found
        }
    }

    /// The change in a row of `sequence, id, clock, body`.
    func parkedChange(_ row: PreparedStatement) throws(StoreFault) -> Change {
        guard let id = row.identifier(1),
            let clock = row.withBytes(2, { RowCodec.clock($0, state.replicas) })
        else {
            throw .corrupt(
                path: paths.database,
                detail: "row \(row.int(0)) of the changes set aside is damaged")
        }
        return Change(id: RecordID(value: id), clock: clock, body: row.bytes(3))
    }

    /// Sets a change aside.
    ///
    /// - Returns: false if it tells nothing new: it is there already, or a later state is.
    func park(_ change: Change, because reason: String) throws(StoreFault) -> Bool {
        for other in try parkedChanges(of: change.id) where other.change.clock.covers(change.clock)
        {
            let isLater = !change.clock.covers(other.change.clock) && !isReadable(other.change)
            if isLater || other.change.body == change.body { return false }
        }
        let clock = RowCodec.clockBytes(change.clock, &state.replicas)
        state.sequence += 1
        let row = try connection.statement("INSERT INTO parked VALUES (?, ?, ?, ?, ?)")
        row.bind(1, state.sequence)
        row.bind(2, identifier: change.id.value)
        row.bind(3, clock)
        row.bind(4, change.body)
        row.bind(5, reason)
        try row.run()
        let stored = try find(change.id)?.record.clock ?? VersionVector()
        let hidden = change.clock.joined(with: state.parked[change.id] ?? VersionVector())
        setAside(change.id, hidden, beside: stored)
        try dropSuperseded(change.id, by: change.clock)
        return true
    }

    /// Forgets the unreadable states of a record that a later state includes.
    func dropSuperseded(_ id: RecordID, by clock: VersionVector) throws(StoreFault) {
        if state.parked[id] == nil { return }
        for item in try parkedChanges(of: id)
        where clock.covers(item.change.clock) && clock != item.change.clock {
            if isReadable(item.change) { continue }
            try unpark(item)
        }
    }

    private func isReadable(_ change: Change) -> Bool {
        (try? BodyCodec.decode(change.body, clock: change.clock, allowElided: false)) != nil
    }

    /// Tries again what was set aside: this version may read what an older one could not.
    func retryParked() throws(StoreFault) {
        if state.parked.isEmpty { return }
        if PlantedFault.parkedForgotten.isPlanted { return try forgetParked() }
        var ready: [Parked] = []
        for item in try parked() {
            guard
                let body = try? BodyCodec.decode(
                    item.change.body, clock: item.change.clock, allowElided: false)
            else { continue }
            if try isElsewhere(item.change.id, than: place(of: body.collection)) { continue }
            ready.append(item)
        }
        if ready.isEmpty { return }
        try changing { () throws(StoreFault) in
            for item in ready { try unpark(item) }
            var result = Integration()
            for item in ready { try integrateAgain(item.change, &result) }
        }
    }

    /// Takes a change out of those set aside, and its clock out of the tallies.
    func unpark(_ item: Parked) throws(StoreFault) {
        let row = try connection.statement("DELETE FROM parked WHERE sequence = ?")
        row.bind(1, item.sequence)
        try row.run()
        let id = item.change.id
        let stored = try find(id)?.record.clock ?? VersionVector()
        var left: VersionVector?
        for other in try parkedChanges(of: id) {
            left = left?.joined(with: other.change.clock) ?? other.change.clock
        }
        setAside(id, left, beside: stored)
    }

    /// Puts the joined clock of a record's parked changes in place of the one before, in the tallies too.
    private func setAside(
        _ id: RecordID, _ hidden: VersionVector?, beside integrated: VersionVector
    ) {
        let none = VersionVector()
        let before = state.parked[id] ?? none
        state.parked[id] = hidden
        state.replicas.account(
            id, from: integrated.joined(with: before), to: integrated.joined(with: hidden ?? none))
        state.replicas.accountAside(id, parked: before, integrated: integrated, isGone: true)
        state.replicas.accountAside(id, parked: hidden ?? none, integrated: integrated)
    }

    /// Counts anew what all parked changes add to the tallies.
    func countParked() throws(StoreFault) {
        state.replicas.forgetAside()
        for (id, hidden) in state.parked {
            let stored = try find(id)?.record.clock ?? VersionVector()
            state.replicas.accountAside(id, parked: hidden, integrated: stored)
        }
    }

    private func parkedChanges(of id: RecordID) throws(StoreFault) -> [Parked] {
        if state.parked[id] == nil { return [] }
        let rows = try connection.statement(
            "SELECT sequence, id, clock, body, reason FROM parked WHERE id = ? ORDER BY sequence")
        rows.bind(1, identifier: id.value)
        defer { rows.reset() }
        var found: [Parked] = []
        while try rows.step() {
            let change = try parkedChange(rows)
            found.append(Parked(change: change, reason: rows.text(4), sequence: rows.unsigned(0)))
        }
        return found
    }
}
