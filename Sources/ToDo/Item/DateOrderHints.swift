extension ToDoItem {
    /// The doubts about dates that stand in an order that helps nobody, as far as a change made them so.
    ///
    /// - Parameters:
    ///   - old: the to-do before the change; nil if it is new.
    ///   - now: milliseconds since 1970.
    package func orderHints(
        before old: ToDoItem?, now: Int64, zone: LocalTimeZone
    ) -> [ToDoWordHint] {
        guard status == .pending, let due else { return [] }
        let isNewDue = due != old?.due
        let dueText = DatePhrase.absolute(due, zone: zone)
        let end = Self.last(of: due, in: zone)
        var hints: [ToDoWordHint] = []
        if let wait, isNewDue || wait != old?.wait, wait.start(in: zone) > end {
            hints.append(
                .waitsTooLong(wait: DatePhrase.absolute(wait, zone: zone), due: dueText))
        }
        if let until, isNewDue || until != old?.until,
            Self.last(of: until, in: zone) < due.start(in: zone)
        {
            hints.append(
                .endsBeforeDue(until: DatePhrase.absolute(until, zone: zone), due: dueText))
        }
        // A reminder of a to-do that is overdue comes after that in any case.
        if end <= now { return hints }
        for reminder in reminders where isNewDue || !(old?.reminders.contains(reminder) ?? false) {
            guard case .at(let instant) = reminder.trigger, instant > end else { continue }
            hints.append(
                .lateReminder(DatePhrase.absolute(.instant(instant), zone: zone), due: dueText))
        }
        return hints
    }

    /// The last millisecond of a day; a point in time itself.
    private static func last(of moment: Moment, in zone: LocalTimeZone) -> Int64 {
        if case .day = moment { moment.end(in: zone).minus(1) } else { moment.start(in: zone) }
    }
}
