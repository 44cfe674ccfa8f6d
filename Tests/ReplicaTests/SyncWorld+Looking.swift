import Core
import Storage
import TestSupport

/// The invariants that hold on a device at any moment.
extension SyncWorld {
    /// Compares what a device holds with what really happened.
    ///
    /// - Parameter isThorough: whether to look although nothing arrived, and at the sums as well.
    func look(at deviceIndex: Int, isThorough: Bool = false) throws {
        let device = devices[deviceIndex]
        guard let store = device.store else { return }
        let summary = try store.summary()
        if isThorough, case let findings = try store.examine(), !findings.isEmpty {
            throw Violation("\(deviceIndex): \(findings)")
        }
        if summary.sequence == device.sequence, !isThorough { return }
        let seen = isThorough ? 0 : device.sequence
        device.sequence = summary.sequence
        let records = try allRecords(of: store)
        try noteNames(records, of: summary.replica)
        var holdings = SyncDevice.Holdings()
        for stored in records {
            holdings[stored.name] = stored.record.clock
            if !allowsForks, stored.sequence > seen { try judge(stored, at: deviceIndex) }
        }
        if summary.deferredCount > 0 {
            for deferred in try store.allDeferred() {
                let clock = deferred.change.clock
                holdings[deferred.change.name] =
                    holdings[deferred.change.name]?.joined(with: clock) ?? clock
            }
        }
        if !allowsForks {
            for (id, clock) in device.holdings where holdings[id]?.covers(clock) != true {
                throw Violation("\(deviceIndex) lost writes of \(id): had \(clock)")
            }
            try judgeKnowledge(summary.knowledge, holdings, at: deviceIndex)
        }
        device.holdings = holdings
    }

    private func judge(_ stored: Record, at deviceIndex: Int) throws {
        var held: Set<WriteHistory.Survivor> = []
        for write in stored.record.writes {
            for assignment in write.assignments {
                held.insert(
                    WriteHistory.Survivor(
                        field: assignment.field, value: assignment.value, dot: write.dot,
                        timestamp: write.timestamp))
            }
        }
        let clock = stored.record.clock
        let due = history.survivors(of: stored.name, at: clock)
        if let lost = due.subtracting(held).first {
            throw Violation("\(deviceIndex) lost \(lost) of \(stored.name)")
        }
        if let stale = held.subtracting(due).first {
            throw Violation("\(deviceIndex) still holds \(stale) of \(stored.name)")
        }
        let isDeleted = history.isDeleted(stored.name, at: clock, policy)
        if stored.verdict.isDeleted != isDeleted {
            throw Violation(
                "\(deviceIndex): \(stored.name) is \(isDeleted ? "resurrected" : "gone")")
        }
    }

    private func judgeKnowledge(
        _ knowledge: VersionVector, _ holdings: SyncDevice.Holdings, at deviceIndex: Int
    ) throws {
        for entry in history.entries.values.joined() where knowledge.covers(entry.dot) {
            if holdings[entry.record]?.covers(entry.dot) != true {
                throw Violation("\(deviceIndex) claims to know \(entry.dot) and lacks it")
            }
        }
    }

    /// The names that a store gave itself when it took an id.
    private func noteNames(_ records: [Record], of replica: ReplicaID) throws {
        for stored in records where stored.collection == .devices {
            for write in stored.record.writes where !history.knows(write.dot) {
                guard write.dot.replica == replica || allowsForks else {
                    throw Violation("a name out of nowhere: \(write)")
                }
                var past = stored.record.clock
                past.set(write.dot.counter - 1, of: write.dot.replica)
                try note(write, of: stored.name, .edit, past: past)
            }
        }
    }

    /// Takes note of a write.
    func note(
        _ write: Write, of name: RecordName, _ kind: WriteHistory.Kind, past: VersionVector
    )
        throws
    {
        let isNew = history.add(
            WriteHistory.Entry(
                dot: write.dot, record: name, kind: kind, timestamp: write.timestamp,
                assignments: write.assignments, past: past))
        if !isNew, !allowsForks { throw Violation("the dot \(write.dot) names two writes") }
    }
}
