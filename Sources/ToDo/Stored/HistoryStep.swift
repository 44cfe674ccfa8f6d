import Core
import Storage

/// A line of the history of a to-do.
package enum HistoryStep: Sendable {
    /// A change that the journal tells, and whether it is an edit that a delete had not seen, so that the delete did not come
    /// before it.
    case change(JournalEntry, isApartFromDelete: Bool = false)
    /// The purge, by this device at this time of its clock; what the journal told before is emptied.
    case purge(device: String, time: Int64)
}

extension ToDoStore {
    /// The steps of a to-do's history that a person wants to see, the latest first.
    ///
    /// A purge empties the entries before it, which keep the device that wrote each: one step tells of all of them, with
    /// the device that purged.
    /// - Parameter entries: of the journal, the latest first.
    package func steps(
        of stored: Record, _ entries: [JournalEntry]
    ) throws(StoreFault) -> [HistoryStep] {
        var steps: [HistoryStep] = []
        let seen = stored.verdict.isContested ? stored.record.seenByDeletes : nil
        var isPurgeTold = false
        for entry in entries where entry.isShown {
            guard entry.kind == .erased else {
                let dot = Dot(replica: entry.author, counter: entry.counter)
                let isApart = seen.map { !$0.covers(dot) } ?? false
                steps.append(
                    .change(entry, isApartFromDelete: isApart && entry.field != .deleted))
                continue
            }
            if isPurgeTold { continue }
            isPurgeTold = true
            let purges = stored.record.survivors(of: .purged).filter { !$0.value.isNull }
            guard !purges.isEmpty else {
                // One that came back tells no more who purged it.
                steps.append(.change(entry))
                continue
            }
            for (write, _) in purges.reversed() {
                steps.append(
                    .purge(
                        device: try deviceName(write.dot.replica),
                        time: write.timestamp.milliseconds))
            }
        }
        return steps
    }
}

extension RecordState {
    /// The writes that the surviving deletes had seen.
    fileprivate var seenByDeletes: VersionVector {
        var seen = VersionVector()
        for case (_, .clock(let clock)) in survivors(of: .deleted) { seen.join(clock) }
        return seen
    }
}
