import Core

/// What devices that meet only at relays leave for each other there: see Protocol/10-Relay.md, rule 22.
extension Store {
    /// Records of devices as changes, whole, in the order of their ids.
    package static func changes(of devices: [StoredRecord]) -> [Change] {
        devices.sorted { $0.id < $1.id }.map { stored in
            Change(
                id: stored.id, clock: stored.record.clock,
                body: BodyCodec.encode(stored.record, in: stored.collection))
        }
    }

    /// Brings to the disk what was read for a letter, as it is to leave.
    package func leaveInLetters() throws(StoreFault) {
        try speaking { () throws(StoreFault) in }
    }

    /// Merges the records of devices that came in a letter; nothing else is taken from there.
    package func takeLetter(_ changes: [Change]) throws(StoreFault) {
        let devices = changes.filter { change in
            let found = try? BodyCodec.decode(change.body, clock: change.clock)
            return found?.collection == .devices
        }
        if devices.isEmpty { return }
        try settle(writesIn: devices)
        // Whoever wrote them: no session with that one begins or ends here, and no live to-do is among them.
        _ = try integrate(devices, from: replica, checkpoint: nil, isRepair: true)
    }

    /// Takes a new id if changes name writes of this replica that it never made: it was set back.
    package func settle(writesIn changes: [Change]) throws(StoreFault) {
        let own = replica
        let counter = changes.map { $0.clock.counter(of: own) }.max() ?? 0
        guard counter > 0, try isDoubtful(counter: counter, epoch: nil) else { return }
        _ = try settle(History(replica: own, counter: counter, openings: []))
    }
}
