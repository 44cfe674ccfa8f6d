import Core

/// One changed occurrence of a to-do that comes again, as a second VTODO with `RECURRENCE-ID` in its document (RFC 5545
/// 3.8.4.4).
struct ClientOccurrence {
    /// The to-do of that occurrence alone; its id is made of the UID and the date.
    let item: ToDoItem
    /// The date at which it would have come.
    let moment: Moment
    /// The text, by which it is known again.
    let lines: [String]
    /// The properties that it has.
    let names: Set<String>

    /// The changed occurrences of a document.
    struct All {
        var occurrences: [ClientOccurrence] = []

        /// Applies the one that is the to-do itself now, as the to-do of its next date.
        ///
        /// - Returns: the others.
        @discardableResult
        func apply(to item: inout ToDoItem, zone: LocalTimeZone) -> [ClientOccurrence] {
            let begin = item
            var rest: [ClientOccurrence] = []
            for one in occurrences {
                if one.isOf(begin, zone: zone) { one.apply(to: &item) } else { rest.append(one) }
            }
            return rest
        }
    }

    /// Reads the changed occurrences of a document, in the order of their dates.
    static func read(
        _ draft: ICalendarDraft, zone: LocalTimeZone
    ) throws(ICalendarProblem) -> All {
        var all = All()
        for component in draft.occurrences.prefix(ServedLimits.occurrenceCountMax) {
            guard let property = component["RECURRENCE-ID"],
                let moment = try draft.moment(of: property, zone: zone)
            else { continue }
            all.occurrences.append(
                ClientOccurrence(
                    item: try draft.item(of: component, zone: zone), moment: moment,
                    lines: component.lines, names: Set(component.properties.map(\.name))))
        }
        all.occurrences.sort { $0.moment.start(in: zone) < $1.moment.start(in: zone) }
        return all
    }

    /// Whether that is the occurrence at which a to-do is now.
    func isOf(_ other: ToDoItem, zone: LocalTimeZone) -> Bool {
        guard !other.repeats.isEmpty || other.series != nil else { return false }
        return [other.scheduled, other.due].contains { begin in
            begin?.isAlike(moment, zone: zone) ?? false
        }
    }

    /// Gives a to-do what is said of this occurrence.
    func apply(to other: inout ToDoItem) {
        if item.status != .pending {
            other.status = item.status
            other.completions = item.completions
        }
        if names.contains("SUMMARY") { other.title = item.title }
        if names.contains("DESCRIPTION") { other.notes = item.notes }
        if names.contains("LOCATION") { other.location = item.location }
        if names.contains("PRIORITY") { other.priority = item.priority }
        if names.contains("DUE") { other.due = item.due }
        if names.contains("CATEGORIES") { other.setTags(item.tags) }
    }
}

extension Moment {
    /// Whether both are the same to the second, or on one day where one of them is a day.
    func isAlike(_ other: Moment, zone: LocalTimeZone) -> Bool {
        switch (self, other) {
        case (.instant(let one), .instant(let other)):
            one.quotientRoundedDown(by: 1_000).quotient
                == other.quotientRoundedDown(by: 1_000).quotient
        default: day(in: zone) == other.day(in: zone)
        }
    }
}

extension ToDoItem {
    /// Whether a client moved a to-do that comes again on to its next date, which is how some programs complete one.
    ///
    /// - Parameter base: the to-do before.
    func isMovedOn(
        from base: ToDoItem, now: Int64, zone: LocalTimeZone,
        named: (String) -> LocalTimeZone?
    ) -> Bool {
        guard base.status == .pending, status == .pending, let due, let before = base.due,
            !base.repeats.isEmpty, due != before
        else { return false }
        // A rule that counts from completion is counted from the due date by programs that know no other way.
        let ends = [now, before.start(in: zone)]
        return ends.contains { time in
            base.nextOccurrence(completed: time, zone: zone, named: named)?.due
                .map { $0.isAlike(due, zone: zone) && $0.isDay == due.isDay } ?? false
        }
    }

    /// The to-do with the dates that it had before it was moved on, and completed.
    func completed(insteadOfMovedFrom base: ToDoItem, at time: Int64) -> ToDoItem {
        var item = self
        (item.due, item.scheduled, item.wait) = (base.due, base.scheduled, base.wait)
        item.repeats = base.repeats
        item.exceptions = base.exceptions
        item.reminders = base.reminders
        (item.series, item.occurrence, item.anchor) = (base.series, base.occurrence, base.anchor)
        for name in ["DUE", "DTSTART", "RRULE", "EXDATE", "VALARM"] {
            let key = ICalendarNames.customPrefix + name
            item.custom[key] = base.custom[key]
        }
        item.status = .completed
        item.completed = time
        return item
    }
}
