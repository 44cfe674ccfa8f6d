import Core
import Storage

/// The only judge of a made-up world: it remembers every acknowledged write with what its writer had
/// seen, and says of what devices hold and show whether that is as it must be.
///
/// It calls no rule of merging or deleting of the engine, and works everything out anew in the plain
/// words of the design. Devices are numbered by their lanes, in the order in which they are added.
/// Devices of different spaces are kept apart.
package final class Oracle {
    let policy: DeletePolicy
    private(set) var lanes: [OracleLane] = []
    /// What the tables of stores should be described as: worked out once in a world, not at each thorough look.
    let tableModels = TableModels()
    private(set) var histories: [(space: SpaceID, history: History)] = []
    /// Whether what two pasts wrote under one number must be kept of both.
    let judgesBothPasts: Bool

    /// How many replicas that are no devices have made themselves known: their ids may be remembered.
    package var strangerCount = 0

    /// Whether two writes may have one dot, as somebody was set back unnoticed: of one record a batch may bring
    /// both, and leave it as it was.
    package var allowsForks = false

    /// A judge who has seen nothing yet.
    ///
    /// - Parameter judgesBothPasts: whether what two pasts wrote under one number must be kept of both.
    package init(policy: DeletePolicy, judgesBothPasts: Bool = true) {
        self.policy = policy
        self.judgesBothPasts = judgesBothPasts
    }

    /// Adds a device; its lane is the number of those before it.
    package func addDevice() {
        lanes.append(OracleLane())
    }

    // MARK: Writes

    /// Takes note of an edit that was committed: of the record's writes that its past does not cover.
    ///
    /// - Parameters:
    ///   - store: the device's store, or another program's view of it.
    ///   - form: what was typed in, if fields were saved and it is known.
    ///   - past: the record's clock before the edit.
    /// - Throws: a violation if the edit did not write what it must.
    package func edited(
        _ lane: Int, _ store: Store, _ record: RecordID, _ kind: History.Kind,
        _ form: History.Form? = nil, past: VersionVector
    ) throws(Violation) {
        let stored = try reading(lane) { () throws(StoreFault) in try store.record(record) }
        if lanes[lane].history == nil { lanes[lane].history = history(of: store.space) }
        try wrote(
            lane, record, stored?.record ?? Record(), kind, form, past: past, by: store.replica)
    }

    /// Remembers an edit during which the program died: what came through of it is learned when the
    /// device is looked at again, and must be all or nothing.
    package func editDied(
        _ lane: Int, _ record: RecordID, _ kind: History.Kind, past: VersionVector
    ) {
        lanes[lane].deadEdits.append(
            OracleLane.DeadEdit(record: record, kind: kind, past: past))
    }

    /// Takes note of what an edit made of a record, wherever the record is kept.
    ///
    /// - Parameter replica: who wrote.
    package func wrote(
        _ lane: Int, _ id: RecordID, _ record: Record, _ kind: History.Kind,
        _ form: History.Form? = nil, past: VersionVector, by replica: ReplicaID
    ) throws(Violation) {
        let history = lanes[lane].history ?? history(of: SpaceID(value: 0))
        lanes[lane].history = history
        let known = history.record(id)
        let last = Dot(replica: replica, counter: record.clock.counter(of: replica))
        if known.isDoubtful || (history.isDoubtful(last) && !past.covers(record.clock)) {
            let writes = Self.writes(of: record, after: past, last)
            return try noteInDoubt(lane, id, writes, kind, past: past, history)
        }
        let seen = known.view(at: past, near: lanes[lane].views[id])
        if past.covers(record.clock) {
            return try about(lane, id) { () throws(Violation) in
                try history.record(id).judgeNothing(kind, form, past: seen, policy)
            }
        }
        let writes = Self.writes(of: record, after: past, last)
        for entry in record.clock.entries where entry.replica != replica {
            if entry.counter > past.counter(of: entry.replica) {
                throw violation(lane, id, .unsound, "an edit brought in writes of another device")
            }
        }
        try about(lane, id) { () throws(Violation) in
            try history.record(id).judge(writes, kind, form, past: seen, policy)
            for write in writes {
                let entry = History.Entry(
                    dot: write.dot, timestamp: write.timestamp, isRecovered: write.isRecovered,
                    kind: kind, assignments: write.assignments, past: past, lane: lane)
                try history.add(entry, to: id, seen: seen)
            }
        }
    }

    /// What a record has been given since a clock.
    private static func writes(
        of record: Record, after past: VersionVector, _ last: Dot
    ) -> [Write] {
        var writes = record.writes.filter { !past.covers($0.dot) }
        if writes.last?.dot != last, last.counter > 0, !past.covers(last) {
            // What is made with no field at all shows in the clock alone.
            let timestamp = writes.last?.timestamp ?? HybridTimestamp(rawValue: 0)
            writes.append(Write(dot: last, timestamp: timestamp, assignments: []))
        }
        return writes
    }

    /// What a record must be at a clock.
    ///
    /// - Parameter lane: of which device's space; by default that which was seen first.
    package func expectedRecord(
        _ record: RecordID, at clock: VersionVector, on lane: Int? = nil
    ) -> ExpectedRecord {
        let history = lane.map { lanes[$0].history } ?? histories.first?.history
        guard let known = history?.records[record] else { return ExpectedRecord() }
        return known.expected(known.view(at: clock), policy)
    }

    /// What a device was last seen to hold.
    package func holdings(of lane: Int) -> Holdings {
        lanes[lane].holdings
    }

    // MARK: Words

    /// The writes of a space.
    func history(of space: SpaceID) -> History {
        if let known = histories.first(where: { $0.space == space }) { return known.history }
        histories.append((space, History()))
        return histories[histories.count - 1].history
    }

    /// Runs what reads a store; that it cannot be read is a violation.
    func reading<T>(
        _ lane: Int, _ body: () throws(StoreFault) -> T
    ) throws(Violation) -> T {
        do throws(StoreFault) {
            return try body()
        } catch {
            throw Violation(.crashed, "device \(lane) cannot read its store: \(error)")
        }
    }

    /// Runs what judges a record; a violation says whose and which.
    func about<T>(
        _ lane: Int, _ id: RecordID, _ body: () throws(Violation) -> T
    ) throws(Violation) -> T {
        do throws(Violation) {
            return try body()
        } catch {
            throw violation(lane, id, error.verdict, error.description)
        }
    }

    /// A violation about a record on a device.
    func violation(
        _ lane: Int, _ id: RecordID, _ verdict: Verdict, _ words: String
    ) -> Violation {
        Violation(verdict, "device \(lane), record \(id): \(words)")
    }
}
