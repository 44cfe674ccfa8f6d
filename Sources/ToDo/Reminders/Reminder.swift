/// When a to-do is to be brought to mind: at a time, or so long before or after one of its dates.
///
/// Its text is an element of the set field `remind`: `2026-12-01T09:00:00Z`, `due-PT30M`, `scheduled+P1D`, `due`; an
/// instant has milliseconds only where they are not zero.
/// Behind a slash stands when a person has dismissed it, as another program has said (RFC 9074).
package struct Reminder: Hashable, Sendable {
    /// The time or date that it counts from.
    package enum Trigger: Hashable, Sendable {
        /// Milliseconds since 1970.
        case at(Int64)
        /// So long after a date; before it if it is less than nothing.
        case from(Base, Lead)
    }

    /// A date of a to-do that reminders count from.
    package enum Base: String, Sendable, CaseIterable {
        case due
        case scheduled
    }

    /// A length of time, of which both parts have one sign: days of the calendar, and seconds of the clock.
    package struct Lead: Hashable, Sendable {
        /// The most days, in either direction.
        package static let dayCountMax = 100_000
        /// The most seconds, in either direction.
        package static let secondCountMax = 100_000_000

        /// Days; negative before the date.
        package let days: Int
        /// Seconds; negative before the date.
        package let seconds: Int

        /// A length of time; nil if it is too long, or has parts of two signs.
        package init?(days: Int, seconds: Int) {
            guard days.magnitude <= Self.dayCountMax, seconds.magnitude <= Self.secondCountMax,
                days == 0 || seconds == 0 || (days < 0) == (seconds < 0)
            else { return nil }
            self.days = days
            self.seconds = seconds
        }

        /// None.
        package static let none = Lead(unchecked: 0, 0)

        private init(unchecked days: Int, _ seconds: Int) {
            self.days = days
            self.seconds = seconds
        }

        /// Whether it counts back from the date.
        package var isBefore: Bool { days < 0 || seconds < 0 }
    }

    /// When it is told.
    package let trigger: Trigger
    /// Until when a person has dismissed it; milliseconds since 1970.
    package var acknowledged: Int64?

    /// A reminder.
    package init(_ trigger: Trigger, acknowledged: Int64? = nil) {
        self.trigger = trigger
        self.acknowledged = acknowledged
    }
}

// MARK: Its text

extension Reminder {
    /// The text that records and files hold.
    package var text: String {
        let trigger =
            switch trigger {
            case .at(let instant): TimestampText.rfc3339(instant)
            case .from(let base, let lead) where lead == .none: base.rawValue
            case .from(let base, let lead):
                base.rawValue + (lead.isBefore ? "-" : "+") + lead.isoText
            }
        return trigger + (acknowledged.map { "/" + TimestampText.rfc3339($0) } ?? "")
    }

    /// Reads such a text, and nothing else: one reminder has one text.
    package init?(text: String) {
        self.init(reading: text)
        guard self.text == text else { return nil }
    }

    /// Reads what another program wrote: any instant of RFC 3339, any duration of RFC 5545.
    package init?(reading text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let trigger = Self.trigger(String(parts[0])) else { return nil }
        var acknowledged: Int64?
        if parts.count > 1 {
            guard case .instant(let time)? = TimestampReader.rfc3339(String(parts[1])) else {
                return nil
            }
            acknowledged = time
        }
        self.init(trigger, acknowledged: acknowledged)
    }

    private static func trigger(_ text: String) -> Trigger? {
        for base in Base.allCases where text.hasPrefix(base.rawValue) {
            let rest = text.dropFirst(base.rawValue.count)
            if rest.isEmpty { return .from(base, .none) }
            guard let sign = rest.first, sign == "-" || sign == "+",
                let lead = Lead(isoText: rest.dropFirst(), isBefore: sign == "-")
            else { return nil }
            return .from(base, lead)
        }
        guard case .instant(let instant)? = TimestampReader.rfc3339(text) else { return nil }
        return .at(instant)
    }
}

extension Reminder.Lead {
    /// The length without its sign, as RFC 5545 writes a duration: `PT30M`, `P1DT2H`, `PT0S`.
    package var isoText: String {
        var text = days == 0 ? "P" : "P\(abs(days))D"
        let rest = abs(seconds)
        if rest > 0 || days == 0 { text += "T" }
        for (count, unit) in [(rest / 3600, "H"), (rest / 60 % 60, "M"), (rest % 60, "S")]
        where count > 0 {
            text += "\(count)\(unit)"
        }
        return text == "PT" ? "PT0S" : text
    }

    /// Reads a duration of RFC 5545 3.3.6; weeks as well.
    package init?(isoText text: some StringProtocol, isBefore: Bool) {
        var bytes = Array(text.utf8)[...]
        guard bytes.popFirst() == UInt8(ascii: "P"), !bytes.isEmpty, bytes.count <= 40 else {
            return nil
        }
        var (days, seconds, partCount) = (0, 0, 0)
        var units: [(letter: Character, factor: Int, isDays: Bool)] = [
            ("W", 7, true), ("D", 1, true),
        ]
        var digits = ""
        for byte in bytes {
            let character = Character(Unicode.Scalar(byte))
            if character.isNumber, character.isASCII, digits.count < 9 {
                digits.append(character)
            } else if character == "T", digits.isEmpty, units.allSatisfy(\.isDays) {
                units = [("H", 3600, false), ("M", 60, false), ("S", 1, false)]
            } else {
                guard let count = Int(digits),
                    let index = units.firstIndex(where: { $0.letter == character })
                else { return nil }
                if units[index].isDays {
                    days += count * units[index].factor
                } else {
                    seconds += count * units[index].factor
                }
                units.removeFirst(index + 1)
                partCount += 1
                digits = ""
            }
        }
        guard digits.isEmpty, partCount > 0 else { return nil }
        self.init(days: isBefore ? -days : days, seconds: isBefore ? -seconds : seconds)
    }
}

// MARK: Its time

extension Reminder {
    /// The date that it counts from; nil if the to-do has none.
    func base(in item: ToDoItem) -> Moment? {
        switch trigger {
        case .at(let instant): .instant(instant)
        case .from(.due, _): item.due
        case .from(.scheduled, _): item.scheduled
        }
    }

    /// When it is told; milliseconds since 1970, nil if the to-do lacks the date that it counts from.
    ///
    /// Days are counted by the calendar, so that the time of day stays. Of a whole day a lead of days alone, or none, is
    /// told in the morning, when people are awake; one with hours or minutes counts from midnight, as RFC 5545 does.
    package func time(in item: ToDoItem, zone: LocalTimeZone) -> Int64? {
        guard let base = base(in: item) else { return nil }
        guard case .from(_, let lead) = trigger else { return base.start(in: zone) }
        let moved = lead.days == 0 ? base : base.moved(byDays: lead.days, in: zone)
        if lead.seconds == 0, case .day(let day) = moved {
            return zone.instant(
                of: LocalTime(
                    day: Int(day),
                    millisecondOfDay: ReminderWords.hourOfDays * 3_600_000))
        }
        return moved.start(in: zone).plus(Int64(lead.seconds) * 1000)
    }

    /// The reminder of a later occurrence: a time moves along by as many days, and what was dismissed is again to come.
    func moved(byDays days: Int, in zone: LocalTimeZone) -> Reminder {
        guard case .at(let instant) = trigger,
            case .instant(let moved) = Moment.instant(instant).moved(byDays: days, in: zone)
        else { return Reminder(trigger) }
        return Reminder(.at(moved))
    }
}

extension Reminder.Lead {
    private static let secondsOfDay = 86_400
    private static let morning = ReminderWords.hourOfDays * 3_600

    /// The length from the midnight of a whole day that RFC 5545 counts from, for one that counts as ours do.
    ///
    /// `-P1D` is 9 o'clock of the day before, which there is `-PT15H`; and its `-P1D`, which is a midnight, here `-PT24H`.
    var fromMidnight: Reminder.Lead {
        if seconds == 0 { return Self.length(days * Self.secondsOfDay + Self.morning) ?? self }
        guard days == 0, seconds % Self.secondsOfDay == 0 else { return self }
        return Reminder.Lead(days: seconds / Self.secondsOfDay, seconds: 0) ?? self
    }

    /// The length as ours count, of one from the midnight of a whole day.
    ///
    /// A reminder at the midnight of that day itself becomes its morning.
    var fromMorning: Reminder.Lead {
        let length = days * Self.secondsOfDay + seconds - Self.morning
        if length % Self.secondsOfDay == 0 {
            return Reminder.Lead(days: length / Self.secondsOfDay, seconds: 0) ?? self
        }
        return seconds == 0
            ? Reminder.Lead(days: 0, seconds: days * Self.secondsOfDay) ?? self : self
    }

    /// Days as far as they go, and seconds.
    private static func length(_ seconds: Int) -> Reminder.Lead? {
        Reminder.Lead(days: seconds / secondsOfDay, seconds: seconds % secondsOfDay)
    }
}

extension ToDoItem {
    /// Replaces the reminders: sorted by their texts, none twice.
    package mutating func setReminders(_ new: some Sequence<Reminder>) {
        let all = Array(new)
        if all.count < 2 { return reminders = all }
        reminders = Set(all).sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    }

    /// Moves the reminders at a time of a series along with its due date, as its next occurrence would have them.
    ///
    /// - Parameter old: the to-do before; if its reminders were other ones, nothing is moved.
    package mutating func moveReminders(since old: ToDoItem, in zone: LocalTimeZone) {
        guard !old.repeats.isEmpty, !repeats.isEmpty, reminders == old.reminders,
            let before = old.due, let due
        else { return }
        let days = due.day(in: zone) - before.day(in: zone)
        if days == 0 { return }
        setReminders(
            reminders.map { reminder in
                guard case .at = reminder.trigger else { return reminder }
                return reminder.moved(byDays: days, in: zone)
            })
    }
}
