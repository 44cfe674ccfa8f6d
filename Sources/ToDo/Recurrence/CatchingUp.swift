/// Series whose dates went by without anybody: they go on with the first date that is today or later.
extension ToDoItem {
    /// Why a to-do cannot go on from today; a code, from which whoever shows it makes words.
    package enum CatchUpObstacle: Error, Hashable, Sendable {
        /// It does not come again.
        case doesNotRepeat
        /// It repeats in a way that this version does not know.
        case unknownRepetition
        /// It is finished.
        case isFinished
        /// It is due today or later, or at no date.
        case isNotOverdue
        /// None of its dates is today or later.
        case isOver
    }

    /// The same occurrence at the first date of its schedule that is not over; the dates between are passed over, and
    /// count where the schedule ends after so many.
    ///
    /// A series that is counted from completion is due today. The schedule stays where it began: a Friday stays a Friday.
    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - zone: this device's zone.
    ///   - named: finds the zone that the repetition names.
    package func caughtUp(
        now: Int64, zone: LocalTimeZone, named: (String) -> LocalTimeZone?
    ) throws(CatchUpObstacle) -> ToDoItem {
        if repeats.isEmpty { throw .doesNotRepeat }
        guard status == .pending else { throw .isFinished }
        guard var rule = repetition else { throw .unknownRepetition }
        let zone = rule.zone.flatMap(named) ?? zone
        let today = zone.localTime(at: now).day
        guard let due, due.day(in: zone) < today else { throw .isNotOverdue }
        let begin = anchor ?? due
        guard
            let new = rule.first(from: today, after: due, anchor: begin, in: zone, except: leftOut)
        else { throw .isOver }
        if let until, new.start(in: zone) >= until.end(in: zone) { throw .isOver }
        guard let left = rule.end?.left(of: rule, from: due, to: new, anchor: begin, in: zone)
        else {
            if rule.end != nil { throw .isOver }
            return moved(to: new, anchor: rule.basis == .due ? begin : anchor, in: zone)
        }
        rule.end = left
        var item = moved(to: new, anchor: rule.basis == .due ? begin : anchor, in: zone)
        item.repeats = rule.text
        return item
    }

    /// The item due at another time, with its plans as long before that as they were; its reminders as those of the
    /// next occurrence.
    private func moved(to new: Moment, anchor: Moment?, in zone: LocalTimeZone) -> ToDoItem {
        var item = self
        let days = new.day(in: zone) - (due?.day(in: zone) ?? 0)
        item.due = new
        item.scheduled = scheduled?.moved(byDays: days, in: zone)
        item.wait = wait?.moved(byDays: days, in: zone)
        item.setReminders(reminders.map { $0.moved(byDays: days, in: zone) })
        item.anchor = anchor
        return item
    }
}

extension Repetition.End {
    /// The end as it is once the dates behind `due` up to `new` have come; nil if `new` is none any more.
    fileprivate func left(
        of rule: Repetition, from due: Moment, to new: Moment, anchor: Moment,
        in zone: LocalTimeZone
    ) -> Repetition.End? {
        switch self {
        case .last(let last): return new.start(in: zone) < last.end(in: zone) ? self : nil
        case .count(let count):
            // A series that is counted from completion was not missed, only late.
            if rule.basis == .completion { return self }
            var (rest, last) = (count, due)
            while last.day(in: zone) < new.day(in: zone) {
                rest -= 1
                // A date that is left out counts as well.
                guard rest > 0,
                    let next = rule.next(after: last, anchor: anchor, completed: 0, zone: zone)
                else { return nil }
                last = next.due
            }
            return .count(rest)
        }
    }
}

extension ToDoStore {
    /// The pending to-dos that come again and are overdue.
    package static let overdueSeries = ToDoFilter([.virtual(.repeating), .virtual(.overdue)])

    /// Whether an occurrence is due before today, so that its series may go on from today instead.
    package func isBehind(_ item: ToDoItem) -> Bool {
        (try? caughtUp(item)) != nil
    }

    /// The occurrence with the first date of its schedule that is today or later.
    package func caughtUp(_ item: ToDoItem) throws(ToDoItem.CatchUpObstacle) -> ToDoItem {
        try item.caughtUp(now: now, zone: zone, named: Self.zone(named:))
    }
}
