import Core
import Storage

/// Stores that were set back without noticing, so that one number may name two writes.
///
/// All records that no such number was given to are judged as ever; of the others what is certain.
extension Oracle {
    /// A store was set back, cannot tell, and goes on under its replica id.
    ///
    /// - Parameter counter: the number of its last write, now.
    package func forked(_ lane: Int, _ replica: ReplicaID, of space: SpaceID, above counter: UInt64)
    {
        let history = lanes[lane].history ?? history(of: space)
        lanes[lane].history = history
        let isEven = { (id: RecordID) -> Bool in
            let dots = history.certainDots(of: id)
            return self.lanes.filter { $0.history === history }.allSatisfy { lane in
                dots.allSatisfy { lane.holdings[id].covers($0) }
            }
        }
        history.fork(replica, above: counter, isEven: isEven) { id, dot in
            self.lanes.indices.filter { other in
                other != lane && self.lanes[other].history === history
                    && self.lanes[other].holdings[id].covers(dot)
            }.map { RecordHistory.Witness(lane: $0, lossCount: self.lanes[$0].lossCount) }
        }
    }

    /// A store found out, took a new replica id and gave its later writes new numbers.
    ///
    /// - Parameter counter: up to where its writes kept their numbers.
    package func renumbered(
        _ lane: Int, from old: ReplicaID, above counter: UInt64, to new: ReplicaID, in store: Store
    ) throws(Violation) {
        guard let history = lanes[lane].history, !history.renamed.contains(new) else { return }
        history.doubt(old, above: counter)
        history.rename(to: new)
        if store.replica != new { return }
        // Nothing else was written under the new id yet, but for the name of the device.
        let news = try reading(lane) { () throws(StoreFault) in try store.news(after: 0) }
        for stored in news.records where stored.collection != .devices {
            let isPlain = { (write: Write) in write.dot.replica == new && !write.isRecovered }
            guard stored.record.writes.contains(where: isPlain) else { continue }
            throw violation(
                lane, stored.id, .unsound,
                "a write that got a new number is not marked as recovered, and could revive")
        }
    }

    /// Takes note of writes to a record of which some numbers are in doubt.
    func noteInDoubt(
        _ lane: Int, _ id: RecordID, _ writes: [Write], _ kind: History.Kind,
        past: VersionVector, _ history: History
    ) throws(Violation) {
        let witness = RecordHistory.Witness(lane: lane, lossCount: lanes[lane].lossCount)
        try about(lane, id) { () throws(Violation) in
            for write in writes {
                let entry = History.Entry(
                    dot: write.dot, timestamp: write.timestamp, isRecovered: write.isRecovered,
                    kind: kind, assignments: write.assignments, past: past, lane: lane)
                try history.addInDoubt(entry, to: id, witness: witness)
            }
        }
    }

    /// Looks whether what two pasts wrote is held, where that can be said.
    func judgePasts(
        _ device: (lane: Int, store: Store), among present: [Int]
    ) throws(Violation) {
        guard let history = lanes[device.lane].history, history.forkCount > 0 else { return }
        for id in history.records.keys.sorted() {
            guard let known = history.records[id], known.isDoubtful else { continue }
            let due = known.dueOfPasts(history) { witness in
                present.contains(witness.lane)
                    && lanes[witness.lane].lossCount == witness.lossCount
            }
            if due.isEmpty { continue }
            let record = try reading(device.lane) { () throws(StoreFault) in
                try device.store.record(id)?.record
            }
            for assignment in due {
                let isHeld = record?.writes.contains {
                    $0.value(of: assignment.field) == assignment.value
                }
                if isHeld == true { continue }
                throw violation(
                    device.lane, id, .lostWrite,
                    "\(assignment.field) = \(assignment.value), written in one of two pasts, is lost"
                )
            }
        }
    }
}
