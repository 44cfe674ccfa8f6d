import Causality
import Merge
import Records
import Storage

/// Making to-dos done, and what comes after them.
extension ToDoStore {
    /// What came of making to-dos done, cancelled or pending.
    package struct StatusOutcome: Sendable {
        /// Those that were something else.
        package var changed: Set<RecordID> = []
        /// The next occurrences of those that come again, by the one before.
        package var next: [RecordID: RecordID] = [:]
    }

    /// Makes to-dos done, cancelled or pending again; of what comes again the next occurrence is made.
    ///
    /// The next occurrence has the same id on every device, so two that complete at once make one.
    /// Cancelling ends what comes again, unless it is a skip.
    /// - Parameters:
    ///   - isSkip: whether the next occurrence comes although this one is cancelled.
    ///   - time: when it was done; milliseconds since 1970, by default now.
    package func setStatus(
        _ status: ToDoStatus, of ids: [RecordID], isSkip: Bool = false, at time: Int64? = nil
    ) throws(StoreFault) -> StatusOutcome {
        let time = time ?? now
        return try store.edit { transaction throws(StoreFault) in
            var outcome = StatusOutcome()
            for id in ids {
                guard let stored = try transaction.record(id) else { throw .noSuchRecord }
                let old = ToDoMapping.item(stored)
                var new = old
                new.apply(.status(status), now: time)
                if status != .pending { new.stopWork(at: time) }
                guard try transaction.update(id, ToDoMapping.assignments(from: old, to: new)) else {
                    continue
                }
                outcome.changed.insert(id)
                let comesAgain = status == .completed || isSkip
                guard comesAgain, old.status == .pending,
                    let next = new.nextOccurrence(
                        completed: time, zone: zone, named: Self.zone(named:))
                else { continue }
                outcome.next[id] = try make(next, in: transaction)
            }
            return outcome
        }
    }

    /// Makes what comes after a to-do that was completed just now, if it comes again.
    func makeNext(
        after id: RecordID, at time: Int64, in transaction: Transaction
    ) throws(StoreFault) {
        guard let stored = try transaction.record(id), !stored.verdict.isDeleted else { return }
        let item = ToDoMapping.item(stored)
        guard item.status == .completed,
            let next = item.nextOccurrence(completed: time, zone: zone, named: Self.zone(named:))
        else { return }
        _ = try make(next, in: transaction)
    }

    /// Makes the next occurrence unless it is there; one in the trash is brought back, as completing
    /// what comes before it asks for it.
    private func make(
        _ next: ToDoItem, in transaction: Transaction
    ) throws(StoreFault) -> RecordID? {
        guard let identifier = next.identifier else { return nil }
        let id = RecordID(value: identifier)
        guard let known = try transaction.record(id) else {
            return try transaction.insert(
                ToDoMapping.assignments(from: nil, to: next), into: ToDoSchema.collection, id: id)
        }
        if known.verdict.isPurged { return nil }
        if known.verdict.isDeleted { try transaction.restore(id) }
        return id
    }

    /// The zone of a name; nil if this system has none of that name.
    static func zone(named name: String) -> LocalTimeZone? {
        try? TimeZoneLoader.system.zone(variable: name)
    }

    /// The rule with the zone that tells its time of day, where there is a time of day.
    package func placed(_ rule: Repetition, of item: ToDoItem) -> Repetition {
        guard rule.zone == nil, case .instant? = item.due else { return rule }
        return rule.placed(of: item.due, zoneName: zone.sharedName)
    }
}

extension ToDoItem {
    /// Ends the work that still runs.
    package mutating func stopWork(at time: Int64) {
        for index in work.indices where work[index].isRunning {
            work[index].end = max(time, work[index].start)
        }
        sortWork()
    }

    mutating func sortWork() {
        work = Set(work).sorted { ($0.start, $0.end ?? .max) < ($1.start, $1.end ?? .max) }
    }
}
