import Core
import Storage

/// The occurrence behind one that is finished.
extension ToDoItem {
    /// How the item comes again; nil if it does not, or in a way that a newer version knows.
    package var repetition: Repetition? { Repetition(text: repeats) }

    /// The id of the next occurrence: the same on every device, so that two never make two.
    package var nextIdentifier: UInt128? {
        guard let first = series ?? identifier, let number = nextOccurrenceNumber else {
            return nil
        }
        return Self.occurrenceIdentifier(series: first, number: number)
    }

    /// The number of the next occurrence; nil behind the last that can be.
    private var nextOccurrenceNumber: Int? {
        let number = (occurrence ?? 0).plus(1)
        return Self.occurrences.contains(number) ? number : nil
    }

    /// The id of an occurrence of what began with `series`; the first behind that has the number 1.
    static func occurrenceIdentifier(series: UInt128, number: Int) -> UInt128 {
        let key = "repeat\n\(UUIDText.text(series))\n\(number)"
        return Store.derivedID(ToDoSchema.collection, key: key).value
    }

    /// The next occurrence; nil if this was the last, or nothing repeats.
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
        let ruleZone = rule.zone.flatMap(named) ?? zone
        let finished = finish(completed, in: ruleZone)
        guard
            let date = rule.next(
                after: due, anchor: anchor, completed: finished, zone: ruleZone, except: leftOut),
            let following = rule.following(date, zone: ruleZone), case let nextDue = date.due
        else { return nil }
        if let until, nextDue.start(in: ruleZone) >= until.end(in: ruleZone) { return nil }
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
        // Of what counts from completion even one before the next date may come, where that is done early.
        let past =
            rule.basis == .due
            ? nextDue.day(in: ruleZone) : ruleZone.localTime(at: finished).day
        next.setExceptions(exceptions.filter { Int($0) > past })
        next.series = series ?? self.identifier
        next.occurrence = nextOccurrenceNumber
        next.anchor = anchor ?? due
        next.due = nextDue
        if let due {
            let days = nextDue.day(in: ruleZone) - due.day(in: ruleZone)
            next.scheduled = scheduled?.moved(byDays: days, in: ruleZone)
            next.wait = wait?.moved(byDays: days, in: ruleZone)
            next.setReminders(reminders.map { $0.moved(byDays: days, in: ruleZone) })
        } else {
            // A lead counts from the next date; a time says no other one.
            next.setReminders(
                reminders.filter { if case .from = $0.trigger { true } else { false } }
                    .map { Reminder($0.trigger) })
        }
        return next
    }

    /// When it counts as finished for what is counted from completion.
    ///
    /// One that was skipped before it was due was not done that day: the next one comes after it.
    private func finish(_ time: Int64, in zone: LocalTimeZone) -> Int64 {
        guard status == .cancelled, let due else { return time }
        return max(time, due.start(in: zone))
    }
}
