import Core
import Storage

/// The next occurrence of a repeating to-do.
extension ToDoStore {
    /// Makes what comes after a to-do that was completed just now, if it comes again.
    func makeNext(
        after id: RecordID, at time: Int64, in transaction: Transaction
    ) throws(StoreFault) {
        guard let stored = try transaction.record(id), !stored.verdict.isDeleted else { return }
        let item = ToDoMapping.item(stored)
        guard item.status == .completed, let next = next(of: item, completed: time) else { return }
        _ = try make(next, after: id, in: transaction)
    }

    /// Makes what comes after a to-do that an edit completed; what had come goes to the trash where one is pending again.
    func follow(
        _ id: RecordID, from old: ToDoItem, to new: ToDoItem, in transaction: Transaction
    ) throws(StoreFault) {
        if old.status == .pending, new.status == .completed {
            try makeNext(after: id, at: new.completed ?? now, in: transaction)
        } else if old.status != .pending, new.status == .pending {
            _ = try undoNext(of: old, id, unless: [], in: transaction)
        }
    }

    /// The next occurrence of a to-do; nil if there is none.
    func next(of item: ToDoItem, completed: Int64) -> ToDoItem? {
        item.nextOccurrence(completed: completed, zone: zone, named: Self.zone(named:))
    }

    /// Makes the next occurrence, or has the one that is there already take over what has changed.
    ///
    /// One in the trash is brought back, as completing what comes before it asks for it. A field takes over
    /// the new value where it shows what it was given by the one before; what a person wrote in it stays.
    /// - Parameters:
    ///   - next: as it would be made now.
    ///   - previous: the to-do that it comes after.
    func make(
        _ next: ToDoItem, after previous: RecordID, in transaction: Transaction
    ) throws(StoreFault) -> RecordID? {
        guard let identifier = next.identifier else { return nil }
        let id = RecordID(value: identifier)
        guard let known = try transaction.record(id) else {
            if let former = try former(next, after: previous) { return former }
            return try transaction.insert(
                ToDoMapping.assignments(from: nil, to: next), into: ToDoSchema.collection, id: id)
        }
        if known.standing.isPurged { return nil }
        if known.verdict.isDeleted { try transaction.restore(id) }
        // One that was finished itself tells what was done then.
        guard ToDoMapping.item(known).status == .pending else { return id }
        guard let given = try given(to: known, after: previous, in: transaction) else { return id }
        let before = ToDoMapping.values(of: given)
        let setBack = try setBack(known, after: previous, in: transaction)
        let changes = ToDoMapping.assignments(from: ToDoMapping.item(known), to: next)
        let inherited = changes.filter { change in
            // A conflict is for a person to decide.
            if known.record.candidates(of: change.field).count > 1 { return false }
            let shown = known.record.visible(change.field) ?? .null
            return shown == before[change.field] ?? .null || setBack.contains(change.field)
        }
        try transaction.update(id, inherited)
        return id
    }

    /// The next occurrence under another id, where the one before has another one, too: both were imported
    /// before occurrences were understood.
    private func former(
        _ next: ToDoItem, after previous: RecordID
    ) throws(StoreFault) -> RecordID? {
        guard let series = next.series, let number = next.occurrence, number > 1,
            previous.value != ToDoItem.occurrenceIdentifier(series: series, number: number - 1)
        else { return nil }
        let ofSeries = FetchPredicate.compare(
            .field(ToDoSchema.Number.series), .equal, .toDo(RecordID(value: series)))
        let ofNumber = FetchPredicate.compare(
            .field(ToDoSchema.Number.occurrence), .equal, .int(Int64(number)))
        return try store.fetch(
            FetchRequest(ToDoSchema.collection, where: .and([ofSeries, ofNumber]))
        ).first?.id
    }

    /// The fields that show again what the to-do before gave them an earlier time, as its last time was undone.
    ///
    /// Both have to hold, as an import may write a person's words together with a status: the last change
    /// came with the reopening of the to-do before and took back what it gave last, and what is shown since
    /// is what it gave before that.
    private func setBack(
        _ known: Record, after previous: RecordID, in transaction: Transaction
    ) throws(StoreFault) -> Set<Field> {
        let last = try changesWithStatus(of: previous, in: known.id) { $0.isNull }
        guard !last.isEmpty, let stored = try transaction.record(previous) else { return [] }
        let gifts = try finished(
            stored, before: transaction.timestamp, limit: Self.rememberedFinishCountMax
        ).map { next(of: $0).map(ToDoMapping.values) ?? [:] }
        guard let latest = gifts.first else { return [] }
        return Set(
            last.values.filter { entry in
                let shown = known.record.visible(entry.field) ?? .null
                return entry.before ?? .null == latest[entry.field] ?? .null
                    && gifts.dropFirst().contains { $0[entry.field] ?? .null == shown }
            }.map(\.field))
    }

    /// The last change of each field that came together with a change of the status of the to-do before.
    func changesWithStatus(
        of previous: RecordID, in id: RecordID, to isMeant: (Value) -> Bool
    ) throws(StoreFault) -> [Field: JournalEntry] {
        let changes = try store.journal.entries(of: previous).filter {
            $0.field == .number(ToDoSchema.Number.status) && isMeant($0.after ?? .null)
        }
        let times = Set(changes.map(\.timestamp))
        var last: [Field: JournalEntry] = [:]
        for entry in try store.journal.entries(of: id) where last[entry.field] == nil {
            last[entry.field] = entry
        }
        return last.filter { times.contains($0.value.timestamp) }
    }

    /// No more times that a to-do was finished are looked at.
    private static let rememberedFinishCountMax = 32

    /// The next occurrence of a to-do as it was finished.
    private func next(of finished: Record) -> ToDoItem? {
        let item = ToDoMapping.item(finished)
        return next(of: item, completed: item.completed ?? now)
    }

    /// The values that an occurrence was given by the one before it; nil if this device cannot tell.
    func given(
        to known: Record, after previous: RecordID, in transaction: Transaction
    ) throws(StoreFault) -> ToDoItem? {
        guard let stored = try transaction.record(previous) else { return nil }
        if let former = try finished(stored, before: transaction.timestamp, limit: 1).first {
            return next(of: former)
        }
        // Undone on another device before this one saw it. In the trash, and all of one write, it is as
        // it was made, unless somebody wrote in it and brought it back from the trash before.
        let content = known.record.writes.filter { write in
            write.assignments.contains { $0.field > .purged }
        }
        guard known.verdict.isDeleted, content.count == 1,
            try !store.journal.entries(of: known.id).contains(where: { $0.field > .purged })
        else { return nil }
        return ToDoMapping.item(known)
    }

    /// A to-do as it was each time it was finished, the latest first, as far as the journal tells.
    private func finished(
        _ stored: Record, before timestamp: HybridTimestamp, limit: Int
    ) throws(StoreFault) -> [Record] {
        let entries = try store.journal.entries(of: stored.id).filter {
            $0.kind.changesShown
        }
        let finishes = entries.filter {
            $0.field == .number(ToDoSchema.Number.status) && $0.timestamp != timestamp
                && $0.after.map { !$0.isNull } ?? false
        }
        var shown: [Field: Value] = [:]
        stored.record.forEachVisible { shown[$0] = $1 }
        return finishes.prefix(limit).map { finish in
            var values = shown
            for entry in entries.prefix(while: { $0.number > finish.number }) {
                // A value that came with it is a part of it.
                if entry.timestamp == finish.timestamp { continue }
                if entry.kind != .local, finish.kind != .local, entry.arrived == finish.arrived {
                    continue
                }
                values[entry.field] = entry.before ?? .null
            }
            return stored.showing(values)
        }
    }
}

/// Making to-dos done, and what comes after them.
extension ToDoStore {
    /// The result of making to-dos done, cancelled or pending.
    package struct StatusOutcome: Sendable {
        /// The to-dos whose status changed.
        package var changed: Set<RecordID> = []
        /// The next occurrences of those that come again, by the one before.
        package var next: [RecordID: RecordID] = [:]
        /// The to-dos that repeat and were the last: by their rule, or because they are cancelled.
        package var last: Set<RecordID> = []
        /// The outcomes for the next occurrences of to-dos that are pending again, by the previous
        /// occurrence.
        package var following: [RecordID: FollowingOutcome] = [:]
    }

    /// The outcome for an occurrence when the one before it is pending again.
    package enum FollowingOutcome: Hashable, Sendable {
        /// It is in the trash.
        case takenBack(RecordID)
        /// It stays, as somebody did something with it, or as this device cannot tell.
        case kept(RecordID)
    }

    /// Why an occurrence cannot be skipped.
    package enum SkipObstacle: Sendable {
        /// It does not repeat: to skip it would be to cancel it.
        case doesNotRepeat
        /// It repeats in a way that this version does not know.
        case unknownRepetition
        /// It is finished already.
        case isFinished
    }

    /// Returns why an occurrence cannot be skipped; nil if it can.
    package static func obstacle(toSkipping item: ToDoItem) -> SkipObstacle? {
        if item.repeats.isEmpty { return .doesNotRepeat }
        if item.repetition == nil { return .unknownRepetition }
        return item.status == .pending ? nil : .isFinished
    }

    /// Makes to-dos done, cancelled or pending again; of what comes again the next occurrence is made.
    ///
    /// The next occurrence has the same id on every device, so two that complete at once make one.
    /// Cancelling ends what comes again, unless it is a skip. Where a finished one is made pending the next
    /// occurrence goes to the trash, unless it is no more as it was made.
    /// - Parameters:
    ///   - isSkip: whether the next occurrence comes although this one is cancelled.
    ///   - time: when it was done; milliseconds since 1970, by default now.
    ///   - seen: the writes that were seen of a to-do, where that is less than all that are here.
    package func setStatus(
        _ status: ToDoStatus, of ids: [RecordID], isSkip: Bool = false, at time: Int64? = nil,
        seen: [RecordID: VersionVector] = [:]
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
                let changes = ToDoMapping.assignments(from: old, to: new)
                guard try update(stored, changes, seen: seen[id], in: transaction) else { continue }
                outcome.changed.insert(id)
                if status == .pending {
                    outcome.following[id] = try undoNext(
                        of: old, id, unless: ids, in: transaction)
                }
                guard status != .pending, old.status == .pending else { continue }
                let comesAgain = status == .completed || isSkip
                if comesAgain, let next = next(of: new, completed: time) {
                    outcome.next[id] = try make(next, after: id, in: transaction)
                } else if old.repetition != nil {
                    outcome.last.insert(id)
                }
            }
            return outcome
        }
    }

    /// Writes fields for somebody who has seen all of a record, or these writes of it alone.
    private func update(
        _ stored: Record, _ changes: [Assignment], seen: VersionVector?, in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        guard let seen, !seen.covers(stored.record.clock), stored.standing == .live else {
            return try transaction.update(stored.id, changes)
        }
        return try transaction.update(stored.name, changes, seen: seen, bases: [:])
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

/// The next occurrence when the one before it is pending again.
extension ToDoStore {
    /// Puts the next occurrence in the trash if it is as it was made.
    ///
    /// - Parameters:
    ///   - finished: the one before as it was until now.
    ///   - others: to-dos that are wanted.
    /// - Returns: nil if there is none.
    func undoNext(
        of finished: ToDoItem, _ id: RecordID, unless others: [RecordID],
        in transaction: Transaction
    ) throws(StoreFault) -> FollowingOutcome? {
        guard finished.repetition != nil, let identifier = finished.nextIdentifier else {
            return nil
        }
        let next = RecordID(value: identifier)
        guard let known = try transaction.record(next), !known.verdict.isDeleted,
            !others.contains(next)
        else { return nil }
        guard try isAsMade(known, after: id, finished, in: transaction) else { return .kept(next) }
        try transaction.delete(next)
        return .takenBack(next)
    }

    /// Whether nobody did anything with an occurrence since the one before gave it what it has.
    private func isAsMade(
        _ known: Record, after previous: RecordID, _ finished: ToDoItem,
        in transaction: Transaction
    ) throws(StoreFault) -> Bool {
        let item = ToDoMapping.item(known)
        guard item.status == .pending, item.work.isEmpty, !known.verdict.isContested,
            known.record.fieldConflicts.isEmpty
        else { return false }
        // An occurrence equal to the one that finishing the previous to-do would make now can be
        // made again.
        let gifts = [
            try given(to: known, after: previous, in: transaction),
            next(of: finished, completed: finished.completed ?? now),
        ]
        let isGiven = gifts.contains { given in
            given.map { ToDoMapping.assignments(from: item, to: $0).isEmpty } ?? false
        }
        if !isGiven { return false }
        let parts = FetchRequest(
            ToDoSchema.collection,
            where: .compare(.field(ToDoSchema.Number.parent), .equal, .toDo(known.id)))
        return try store.fetch(parts).isEmpty
    }
}
