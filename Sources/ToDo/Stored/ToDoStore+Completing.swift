import Core
import Storage

/// Making to-dos done, and what comes after them.
extension ToDoStore {
    /// What came of making to-dos done, cancelled or pending.
    package struct StatusOutcome: Sendable {
        /// Those that were something else.
        package var changed: Set<RecordID> = []
        /// The next occurrences of those that come again, by the one before.
        package var next: [RecordID: RecordID] = [:]
        /// What became of the next occurrences of those that are pending again, by the one before.
        package var following: [RecordID: FollowingOutcome] = [:]
    }

    /// What became of an occurrence, as the one before it is pending again.
    package enum FollowingOutcome: Hashable, Sendable {
        /// It is in the trash.
        case takenBack(RecordID)
        /// It stays, as somebody did something with it, or as this device cannot tell.
        case kept(RecordID)
    }

    /// Makes to-dos done, cancelled or pending again; of what comes again the next occurrence is made.
    ///
    /// The next occurrence has the same id on every device, so two that complete at once make one.
    /// Cancelling ends what comes again, unless it is a skip. Where a finished one is made pending the next
    /// occurrence goes to the trash, unless it is no more as it was made.
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
                if status == .pending {
                    outcome.following[id] = try takeBackNext(
                        of: old, id, unless: ids, in: transaction)
                }
                let comesAgain = status == .completed || isSkip
                guard comesAgain, old.status == .pending,
                    let next = next(of: new, completed: time)
                else { continue }
                outcome.next[id] = try make(next, after: id, in: transaction)
            }
            return outcome
        }
    }

    /// The zone of a name; nil if this system has none of that name.
    static func zone(named name: String) -> LocalTimeZone? {
        try? TimeZoneLoader.system.zone(variable: name)
    }

    /// The rule with the zone that tells its time of day, where there is a time of day.
    package func placed(_ rule: Repetition, of item: ToDoItem) -> Repetition {
        rule.placed(of: item.due, zoneName: zone.sharedName)
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
