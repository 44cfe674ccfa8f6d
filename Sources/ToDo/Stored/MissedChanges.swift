import Core
import Storage

/// What an occurrence lacks of the one before it.
extension ToDoStore {
    private typealias Number = ToDoSchema.Number

    /// Returns the changes of the previous occurrence that this one lacks, in fields that nobody
    /// changed in this one.
    ///
    /// A change is missed if it was made after the previous occurrence was finished, or on a device
    /// that did not know yet that it was. A record does not tell which of the two, so nothing is
    /// copied until the user confirms it. A change in the same write as a status of the previous
    /// occurrence, as an import makes it, may be either, and is returned as well.
    /// - Returns: what to write to take it over.
    package func missedChanges(of stored: Record) throws(StoreFault) -> [Assignment] {
        let item = ToDoMapping.item(stored)
        let makers = Self.makers(of: stored)
        guard item.status == .pending, !stored.verdict.isDeleted, let series = item.series,
            let number = item.occurrence, !makers.isEmpty, number > 0,
            let previous = try self.stored(
                RecordID(
                    value: number == 1
                        ? series
                        : ToDoItem.occurrenceIdentifier(series: series, number: number - 1))),
            !previous.verdict.isDeleted
        else { return [] }
        let past = ToDoMapping.item(previous)
        guard past.status != .pending else { return [] }
        func isUntouched(_ field: Field) -> Bool {
            Self.isUntouched(field, in: stored, since: makers)
        }
        let edited = Self.editedFields(of: previous)
        guard
            let given = SeriesGift(
                past, edited: edited, next: item,
                hasOwnRule: !isUntouched(.number(Number.repeats)),
                hasOwnDate: !isUntouched(.number(Number.due)), zone: zone,
                zones: Self.zone(named:), now: now
            ).item
        else { return [] }
        let changes = ToDoMapping.assignments(from: item, to: given)
        if changes.isEmpty { return [] }
        let unsure = try changesWithStatus(of: previous.id, in: stored.id) { _ in true }
        return changes.filter { change in
            Self.isHandedOn(change, from: past, edited: edited)
                && (unsure[change.field] != nil || isUntouched(change.field))
        }
    }

    /// The fields that an occurrence copies from the one before it as they are.
    private static let copiedNumbers: Set<UInt32> = [
        Number.title, Number.notes, Number.project, Number.location, Number.priority,
        Number.tags, Number.people, Number.exceptions, Number.until,
    ]

    /// The fields that an occurrence computes, or that another record decides too, with those of the one before it
    /// that they come from.
    ///
    /// Without an edit of any of these in the one before, a difference is no change by a person: other zones, two
    /// times of completion, or dates that an import brought along.
    private static let sources: [UInt32: Set<UInt32>] = [
        Number.due: schedule, Number.scheduled: schedule.union([Number.scheduled]),
        Number.wait: schedule.union([Number.wait]),
        Number.reminders: schedule.union([Number.reminders]),
        Number.repeats: schedule.union([Number.until]), Number.parent: [Number.parent],
    ]

    /// The fields that the dates of the next occurrence come from.
    private static let schedule: Set<UInt32> = [
        Number.due, Number.repeats, Number.exceptions, Number.anchor,
    ]

    /// Whether a difference to what would be given now is a change of the one before, and not only follows from its
    /// date or from when it was finished.
    private static func isHandedOn(
        _ change: Assignment, from past: ToDoItem, edited: Set<UInt32>
    ) -> Bool {
        guard case .number(let number) = change.field.name else { return true }
        if number == Number.exceptions, case .element(_, let element) = change.field {
            // A day that has passed is dropped without anybody having taken it out.
            return !change.value.isNull
                || !past.exceptions.contains { .text(ExceptionDay.text($0)) == element }
        }
        if let sources = sources[number] { return !edited.isDisjoint(with: sources) }
        return copiedNumbers.contains(number)
    }

    /// The writes that made an occurrence: several where devices made it while apart.
    private static func makers(of stored: Record) -> Set<Dot> {
        Set(stored.record.survivors(of: .number(Number.occurrence)).map(\.write.dot))
    }

    /// Whether a field is as it was made, by whichever device; what these gave different values is a conflict.
    private static func isUntouched(
        _ field: Field, in stored: Record, since makers: Set<Dot>
    ) -> Bool {
        let survivors = stored.record.survivors(of: field)
        return survivors.allSatisfy { makers.contains($0.write.dot) }
            && Set(survivors.map(\.value)).count < 2
    }

    /// The fields of a to-do that were written after it was made.
    private static func editedFields(of stored: Record) -> Set<UInt32> {
        var makers = makers(of: stored)
        if makers.isEmpty {
            makers = Set(stored.record.survivors(of: .number(Number.created)).map(\.write.dot))
        }
        // A to-do of another program may lack the time of its making.
        if makers.isEmpty, let first = stored.record.writes.min(by: { $1.isShown(over: $0) }) {
            makers = [first.dot]
        }
        var numbers: Set<UInt32> = []
        for write in stored.record.writes where !makers.contains(write.dot) {
            for assignment in write.assignments {
                if case .number(let number) = assignment.field.name { numbers.insert(number) }
            }
        }
        return numbers
    }
}

/// What a finished occurrence would give now to the one that it gave other values when it was finished.
private struct SeriesGift {
    /// The finished occurrence as it is now.
    private let past: ToDoItem
    /// The one after it.
    private let next: ToDoItem
    /// Whether somebody gave the one after it a rule of its own, so that it does not tell the former one.
    private let hasOwnRule: Bool
    /// The same for its date.
    private let hasOwnDate: Bool
    private let zone: LocalTimeZone
    private let zones: (String) -> LocalTimeZone?
    private let now: Int64
    /// What it would give; nil if it never came again.
    private(set) var item: ToDoItem?

    /// - Parameter edited: the fields of the finished occurrence that were written after it was made.
    init(
        _ past: ToDoItem, edited: Set<UInt32>, next: ToDoItem, hasOwnRule: Bool,
        hasOwnDate: Bool, zone: LocalTimeZone, zones: @escaping (String) -> LocalTimeZone?,
        now: Int64
    ) {
        (self.past, self.next, self.zone, self.zones) = (past, next, zone, zones)
        (self.hasOwnRule, self.hasOwnDate, self.now) = (hasOwnRule, hasOwnDate, now)
        let ends: Set<UInt32> = [
            ToDoSchema.Number.repeats, ToDoSchema.Number.until, ToDoSchema.Number.due,
            ToDoSchema.Number.exceptions,
        ]
        item = occurrence(after: past)
        if item == nil, !edited.isDisjoint(with: ends) { item = ended() }
        alignWithCompletion()
    }

    private func occurrence(after past: ToDoItem) -> ToDoItem? {
        past.nextOccurrence(completed: past.completed ?? now, zone: zone, named: zones)
    }

    /// The same where the series comes no more, as the finished occurrence tells now: all of it without a rule.
    private func ended() -> ToDoItem? {
        let rule = past.repetition ?? (hasOwnRule ? nil : next.repetition)
        var lasting = past
        lasting.until = nil
        var endless = rule ?? Repetition(.days(1))
        endless.end = nil
        lasting.repeats = endless.text
        guard var given = occurrence(after: lasting) else { return nil }
        given.until = past.until
        // A rule that only a newer version knows is handed on as it is.
        given.repeats = past.repetition == nil ? past.repeats : ""
        if rule == nil {
            given.due = next.due
            keepLeads(of: next, in: &given)
        }
        return given
    }

    /// Has the dates of a series that counts from completion start at the date that the next one has.
    ///
    /// Which time of completion, and which zone, that was counted from is not kept; a rule of another length or a day
    /// that is left out now is told nevertheless.
    private mutating func alignWithCompletion() {
        guard var given = item, let rule = past.repetition ?? next.repetition,
            rule.basis == .completion
        else { return }
        if let made = next.repetition, let now = given.repetition, made.basis == .completion,
            isCounted(made, by: now)
        {
            given.repeats = next.repeats
        }
        let isSameStep =
            hasOwnRule
            || next.repetition.map { $0.step == rule.step && $0.basis == rule.basis } ?? true
        let ruleZone = rule.zone.flatMap(zones) ?? zone
        let day = next.due?.day(in: ruleZone)
        let isLeftOut = day.map { day in past.exceptions.contains { Int($0) == day } } ?? false
        if isSameStep, !isLeftOut || hasOwnDate {
            given.due = day.map { Repetition.moment(on: $0, like: given.due, zone: ruleZone) }
            if let day, let due = past.due, !hasOwnDate {
                let days = day - due.day(in: ruleZone)
                given.scheduled = past.scheduled?.moved(byDays: days, in: ruleZone)
                given.wait = past.wait?.moved(byDays: days, in: ruleZone)
                given.setReminders(past.reminders.map { $0.moved(byDays: days, in: ruleZone) })
            } else {
                keepLeads(of: next, in: &given)
            }
        }
        // Days up to that of completion are dropped, by the clock of the device that made the next one.
        if let last = past.completions.last {
            let day = ruleZone.localTime(at: last).day + 1
            let kept = Set(next.exceptions)
            given.setExceptions(
                given.exceptions.filter { Int($0) > day || kept.contains($0) })
        }
        item = given
    }

    /// Whether two rules are the same but for a count that days that are left out account for.
    private func isCounted(_ made: Repetition, by now: Repetition) -> Bool {
        guard case .count(let left)? = made.end, case .count? = now.end,
            case .count(let whole)? = past.repetition?.end
        else { return false }
        var (one, other) = (made, now)
        (one.end, other.end) = (nil, nil)
        return one == other && left < whole && left >= whole - 1 - past.exceptions.count
    }

    /// Leaves the dates that follow the due date as they are, where nothing tells by how much they moved.
    private func keepLeads(of next: ToDoItem, in given: inout ToDoItem) {
        (given.scheduled, given.wait) = (next.scheduled, next.wait)
        func isTime(_ reminder: Reminder) -> Bool {
            if case .at = reminder.trigger { true } else { false }
        }
        given.setReminders(
            given.reminders.filter { !isTime($0) } + next.reminders.filter(isTime))
    }
}
