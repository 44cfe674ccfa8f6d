import Core

/// The next occurrence that a finished one would create now, after an edit of the finished one.
///
/// The next occurrence was created when the former one was finished, with the values of that time.
struct ExpectedOccurrence {
    /// The finished occurrence as it is now.
    private let past: ToDoItem
    /// The next occurrence, as it is now.
    private let next: ToDoItem
    /// Whether the rule of the next occurrence was edited, so that it does not show the rule of the former one.
    private let hasOwnRule: Bool
    /// Whether the date of the next occurrence was edited.
    private let hasOwnDate: Bool
    private let zone: LocalTimeZone
    private let zones: (String) -> LocalTimeZone?
    private let now: Int64
    /// The next occurrence that would be created; nil if the series would end.
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

    /// The next occurrence, without a rule, of a series that ends by the present fields of the finished one.
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
