import Core
import Storage

extension ToDoItem {
    /// How the item comes again; nil if it does not, or in a way that a newer version knows.
    package var repetition: Repetition? { Repetition(text: repeats) }

    /// The id of the next occurrence: the same on every device, so that two never make two.
    package var nextIdentifier: UInt128? {
        guard let first = series ?? identifier else { return nil }
        return Self.occurrenceIdentifier(series: first, number: (occurrence ?? 0) + 1)
    }

    /// The id of an occurrence of what began with `series`; the first behind that has the number 1.
    static func occurrenceIdentifier(series: UInt128, number: Int) -> UInt128 {
        let key = "repeat\n\(UUIDText.text(series))\n\(number)"
        return Store.derivedID(ToDoSchema.collection, key: key).value
    }

    /// What comes after this occurrence: nil if nothing does, as it was the last or nothing repeats.
    ///
    /// It has no time of making, so that two devices that make it write the same.
    /// - Parameters:
    ///   - completed: when this one was done or passed over; milliseconds since 1970.
    ///   - zone: this device's zone.
    ///   - named: finds the zone that the repetition names.
    package func nextOccurrence(
        completed: Int64, zone: LocalTimeZone, named: (String) -> LocalTimeZone?
    ) -> ToDoItem? {
        guard let rule = repetition, let identifier = nextIdentifier else { return nil }
        let place = rule.zone.flatMap(named) ?? zone
        let nextDue = rule.next(after: due, anchor: anchor, completed: completed, zone: place)
        if let until, nextDue.start(in: place) >= until.end(in: place) { return nil }
        guard let following = rule.following(due: nextDue, zone: place) else { return nil }
        var next = ToDoItem(title: title)
        next.identifier = identifier
        next.notes = notes
        next.project = project
        next.location = location
        next.priority = priority
        next.setTags(tags)
        next.people = people
        next.custom = custom.filter { name, _ in
            !ICalendarNames.ofOneOccurrence.contains(name)
                && !TaskwarriorRecurrence.isOfOneOccurrence(name, of: self)
        }
        next.parent = parent
        next.positions = positions
        next.until = until
        // As it stands unless it changes: a newer version may have words for it that we lack.
        next.repeats = following == rule ? repeats : following.text
        next.series = series ?? self.identifier
        next.occurrence = (occurrence ?? 0) + 1
        next.anchor = anchor ?? due
        next.due = nextDue
        if let due {
            let days = nextDue.day(in: place) - due.day(in: place)
            next.scheduled = scheduled?.moved(byDays: days, in: place)
            next.wait = wait?.moved(byDays: days, in: place)
        }
        return next
    }
}

extension Moment {
    /// The same time of day on another day.
    package func moved(byDays days: Int, in zone: LocalTimeZone) -> Moment {
        switch self {
        case .day(let day): return .day(Int32(clamping: Int(day) + days))
        case .instant(let instant):
            var local = zone.localTime(at: instant)
            local.day += days
            return .instant(zone.instant(of: local))
        }
    }
}
