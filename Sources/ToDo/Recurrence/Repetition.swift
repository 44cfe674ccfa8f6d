import Core
import Storage

/// How a to-do comes again.
///
/// From due, the schedule stays where it began: the 31st stays the 31st behind a short month, 02:30
/// stays 02:30 behind a night that has none. From completion, it counts from the day of completion.
package struct Repetition: Sendable, Hashable {
    /// The interval between two occurrences.
    package enum Step: Sendable, Hashable {
        /// So many days; weeks are seven.
        case days(Int)
        /// So many months; years are twelve.
        case months(Int)
        /// On these days of the week, sorted from Monday.
        case weekdays([Weekday])
    }

    /// The date that the next occurrence is counted from.
    package enum Basis: Sendable, Hashable {
        /// From when this one was due, however late it was done.
        case due
        /// From the day on which it was done.
        case completion
    }

    /// How it comes to an end.
    package enum End: Sendable, Hashable {
        /// With so many occurrences, this one and those before the end; each next one has one less, so
        /// that devices that make it alike agree.
        case count(Int)
        /// With the last one that is due then or before.
        case last(Moment)
    }

    /// The interval between two occurrences.
    package var step: Step
    /// The date that the next occurrence is counted from.
    package var basis: Basis
    /// The time zone whose clock tells the time of day, by its name, so that all devices agree; nil for
    /// the device's own.
    package var zone: String?
    /// How it comes to an end; nil if it never does.
    package var end: End?

    /// A way to come again.
    package init(
        _ step: Step, from basis: Basis = .due, zone: String? = nil, end: End? = nil
    ) {
        self.step = step
        self.basis = basis
        self.zone = zone
        self.end = end
    }
}

extension Repetition {
    /// The rule with the zone that tells its time of day, where there is a time of day.
    func placed(of due: Moment?, zoneName: @autoclosure () -> String?) -> Repetition {
        guard zone == nil, case .instant? = due else { return self }
        var rule = self
        rule.zone = zoneName()
        return rule
    }

    /// The rule of the next occurrence, due at `due`; nil if this one is the last.
    package func following(due: Moment, zone: LocalTimeZone) -> Repetition? {
        var rule = self
        switch end {
        case nil: break
        case .count(let count):
            if count <= 1 { return nil }
            rule.end = .count(count - 1)
        case .last(let last):
            if due.start(in: zone) >= last.end(in: zone) { return nil }
        }
        return rule
    }

    /// When the next occurrence is due.
    ///
    /// - Parameters:
    ///   - due: when this one was; nil if it had no date.
    ///   - anchor: where the schedule began; nil if that is `due`.
    ///   - completed: when this one was done; milliseconds since 1970.
    ///   - zone: the zone in which days begin.
    package func next(
        after due: Moment?, anchor: Moment?, completed: Int64, zone: LocalTimeZone
    ) -> Moment {
        let begin = anchor ?? due
        let completedDay = zone.localTime(at: completed).day
        let day: Int
        if basis == .due, let due, let begin {
            day = scheduled(after: due.day(in: zone), from: begin.day(in: zone))
        } else {
            day = scheduled(after: completedDay, from: completedDay)
        }
        return Self.moment(on: day, like: begin, zone: zone)
    }

    /// The first date of the schedule on a day or later; what is counted from completion has its date on that day.
    ///
    /// - Parameters:
    ///   - day: days since 1970-01-01.
    ///   - due: an earlier date.
    ///   - anchor: where the schedule began.
    package func first(
        from day: Int, after due: Moment, anchor: Moment, in zone: LocalTimeZone
    ) -> Moment {
        let last = max(day - 1, due.day(in: zone))
        let first =
            basis == .due ? scheduled(after: last, from: anchor.day(in: zone)) : last + 1
        return Self.moment(on: first, like: anchor, zone: zone)
    }

    /// When an occurrence is due, counted from due, so many places behind where the schedule began.
    ///
    /// The same as so many times `next`, in a time that does not grow with their number.
    func due(afterOccurrences count: Int, from begin: Moment, zone: LocalTimeZone) -> Moment {
        if count < 1 { return begin }
        let first = begin.day(in: zone)
        let day: Int
        switch step {
        case .days(let days): day = first.plus(count.times(days))
        case .months(let months): day = CivilDate(day: first).adding(months: count * months).day
        case .weekdays(let days):
            // Behind the first of them, the days of the week come round.
            let round = max(Set(days).count, 1)
            let (weeks, rest) = (count - 1).quotientAndRemainder(dividingBy: round)
            var last = first
            for _ in 0...rest { last = scheduled(after: last, from: first) }
            day = last + weeks * 7
        }
        return Self.moment(on: day, like: begin, zone: zone)
    }

    /// A day, at the time of day of another moment if that has one.
    private static func moment(on day: Int, like begin: Moment?, zone: LocalTimeZone) -> Moment {
        guard case .instant(let instant)? = begin else {
            return .day(Int32(clamping: day))
        }
        let clock = zone.localTime(at: instant).millisecondOfDay
        return .instant(zone.instant(of: LocalTime(day: day, millisecondOfDay: clock)))
    }

    /// The first day of the schedule behind `day`.
    private func scheduled(after day: Int, from begin: Int) -> Int {
        switch step {
        case .days(let count):
            let rest = (day - begin).quotientRoundedDown(by: count).remainder
            return day + count - rest
        case .months(let count):
            let (from, to) = (CivilDate(day: begin), CivilDate(day: day))
            let months = (to.year - from.year) * 12 + to.month - from.month
            var number = months.quotientRoundedDown(by: count).quotient
            while from.adding(months: number * count).day <= day { number += 1 }
            return from.adding(months: number * count).day
        case .weekdays(let days):
            let ahead = days.map { $0.distance(after: Weekday(day: day + 1)) }.min() ?? 6
            return day + 1 + ahead
        }
    }
}

/// Schedules that go by the last days of months.
///
/// They have no words of their own: a schedule stays where it began, so one that began on a 31st comes to
/// the last day of each month, as versions that know nothing of this page understand it, too.
extension Repetition {
    /// The most steps back that are looked at: a leap day lies within them for every number of years.
    private static let stepCountMax = 16

    /// Where a schedule began that goes by the last days of months, for what is due at `due`.
    ///
    /// - Returns: the end of the longest of the months that it came to before; nil if that is `due` itself, or
    ///   if the rule does not count months from when a to-do was due.
    package func monthEndBegin(for due: Moment, in zone: LocalTimeZone) -> Moment? {
        guard basis == .due, case .months(let count) = step else { return nil }
        let day = due.day(in: zone)
        let date = CivilDate(day: day)
        var longest: CivilDate?
        for number in 0..<Self.stepCountMax {
            let end = date.endOfMonth(later: -number * count)
            if end.day <= day, end.dayOfMonth > longest?.dayOfMonth ?? 0 { longest = end }
        }
        guard let longest, longest.day != day else { return nil }
        return due.moved(byDays: longest.day - day, in: zone)
    }

    /// Whether a schedule that began there comes to the last days of months of different lengths.
    package func isAtMonthEnds(from begin: Moment, in zone: LocalTimeZone) -> Bool {
        guard basis == .due, case .months(let count) = step, count % 12 != 0 else { return false }
        return CivilDate(day: begin.day(in: zone)).dayOfMonth == 31
    }
}

extension ToDoItem {
    /// Has the item come again on the last days of months, if its rule counts them.
    package mutating func repeatAtMonthEnds(in zone: LocalTimeZone) {
        guard let rule = repetition, let due else { return }
        anchor = rule.monthEndBegin(for: due, in: zone)
    }

    /// The rule as a person reads it: also which day of the month it is, where the words leave that open.
    package func repeatsShown(in zone: LocalTimeZone) -> String {
        guard let rule = repetition, rule.basis == .due, let due,
            case .months(let count) = rule.step,
            count % 12 != 0
        else { return repeats }
        let begin = anchor ?? due
        if rule.isAtMonthEnds(from: begin, in: zone) {
            return "\(repeats), on the last day of the month"
        }
        let date = CivilDate(day: begin.day(in: zone))
        // Somebody may have meant the end of the month.
        return date == date.endOfMonth() ? "\(repeats), on day \(date.dayOfMonth)" : repeats
    }
}

extension Repetition {
    /// The forms that may be typed.
    package static let hint =
        "say daily, weekly, monthly, 2w, '3 days', mon,thu or weekdays; with ! it counts from completion; "
        + "it ends with '5 times' or 'until 2026-12-31'"
    private static let countMax = 1000
    private static let zoneWord = " in "

    /// The words for counting from completion; the first is written, all are read.
    private enum CompletionMark: String, CaseIterable {
        case afterCompletion = "after completion"
        case afterDone = "after done"
        case whenDone = "when done"
        case exclamation = "!"
    }
    /// The most occurrences that are counted.
    package static let occurrenceCountMax = 100_000

    /// `every 2 weeks`, `every mon, thu`, `every month after completion in Europe/Berlin`.
    package var text: String {
        let step =
            switch step {
            case .days(let count) where count % 7 == 0: Self.every(count / 7, "week")
            case .days(let count): Self.every(count, "day")
            case .months(let count) where count % 12 == 0: Self.every(count / 12, "year")
            case .months(let count): Self.every(count, "month")
            case .weekdays(let days):
                "every " + days.map { $0.shortName.lowercased() }.joined(separator: ", ")
            }
        return step + (basis == .completion ? " " + CompletionMark.afterCompletion.rawValue : "")
            + endText
            + (zone.map { Self.zoneWord + $0 } ?? "")
    }

    private var endText: String {
        switch end {
        case nil: ""
        case .count(1): ", 1 time"
        case .count(let count): ", \(count) times"
        case .last(let moment): " until \(moment.rfc3339)"
        }
    }

    private static func every(_ count: Int, _ unit: String) -> String {
        count == 1 ? "every \(unit)" : "every \(count) \(unit)s"
    }

    /// Reads what `text` wrote, or what was typed: `weekly`, `2w`, `every 3 days`, `mon,thu`,
    /// `weekdays`, `every other month`; with `!` or `after completion` it counts from completion; with
    /// `5 times` or `until 2026-12-31` it ends.
    package init?(text: String) {
        var words = text
        var zone: String?
        if let range = words.firstRange(of: Self.zoneWord) {
            zone = String(words[range.upperBound...])
            words = String(words[..<range.lowerBound])
        }
        words = words.lowercased()
        var basis = Basis.due
        for mark in CompletionMark.allCases where words.contains(mark.rawValue) {
            words = words.replacing(mark.rawValue, with: " ")
            basis = .completion
        }
        var parts = words.split { $0 == " " || $0 == "," }.map { String($0) }
        let end = Self.consumeEnd(&parts)
        guard zone?.isEmpty != true, let step = Self.step(parts) else { return nil }
        self.init(step, from: basis, zone: zone, end: end)
    }

    /// Takes the last two words if they say how it ends, and what stands before such words.
    private static func consumeEnd(_ words: inout [String]) -> End? {
        guard words.count > 2, let last = words.last else { return nil }
        let before = words[words.count - 2]
        var end: End?
        if ["time", "times"].contains(last), let count = Int(before),
            (1...occurrenceCountMax).contains(count)
        {
            end = .count(count)
        } else if ["until", "till", "ending"].contains(before) {
            end = TimestampReader.rfc3339(last.uppercased()).map { .last($0) }
        }
        guard end != nil else { return nil }
        words.removeLast(2)
        if words.last == "for" { words.removeLast() }
        return end
    }

    private static func step(_ words: [String]) -> Step? {
        var words = words[...]
        if words.first == "every" || words.first == "each" { words = words.dropFirst() }
        if words.count == 1, let known = words.first.flatMap({ named[$0] }) { return known }
        if words.first == "other" || words.first == "second" {
            guard words.count == 2, let unit = DurationWords.singleUnit(words.dropFirst()) else {
                return nil
            }
            return step(unit + unit)
        }
        if let unit = DurationWords.singleUnit(words) ?? DurationWords.parse(words) {
            return step(unit)
        }
        let days = words.filter { $0 != "and" }.map { word in
            DayNames.weekday(word)
                ?? DayNames.weekday(word.hasSuffix("s") ? String(word.dropLast()) : "")
        }
        guard !days.isEmpty, !days.contains(nil) else { return nil }
        let sorted = Set(days.compactMap { $0 }).sorted { $0.rawValue < $1.rawValue }
        return sorted.count == 7 ? .days(1) : .weekdays(sorted)
    }

    private static func step(_ duration: CalendarDuration) -> Step? {
        switch (duration.months, duration.days, duration.milliseconds) {
        case (0, 1...countMax, 0): .days(duration.days)
        case (1...countMax, 0, 0): .months(duration.months)
        default: nil
        }
    }

    private static let named: [String: Step] = [
        "daily": .days(1), "weekly": .days(7), "biweekly": .days(14), "fortnightly": .days(14),
        "monthly": .months(1), "bimonthly": .months(2), "quarterly": .months(3),
        "yearly": .months(12), "annually": .months(12), "annual": .months(12),
        "weekday": workdays, "weekdays": workdays, "workdays": workdays,
        "weekend": .weekdays([.saturday, .sunday]), "weekends": .weekdays([.saturday, .sunday]),
    ]
    private static let workdays = Step.weekdays([
        .monday, .tuesday, .wednesday, .thursday, .friday,
    ])
}

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
        let nextDue = rule.next(
            after: due, anchor: anchor, completed: finish(completed, in: ruleZone), zone: ruleZone)
        if let until, nextDue.start(in: ruleZone) >= until.end(in: ruleZone) { return nil }
        guard let following = rule.following(due: nextDue, zone: ruleZone) else { return nil }
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

extension Moment {
    /// The same time of day on another day.
    package func moved(byDays days: Int, in zone: LocalTimeZone) -> Moment {
        switch self {
        case .day(let day): return .day(Int32(clamping: Int(day).plus(days)))
        case .instant(let instant):
            var local = zone.localTime(at: instant)
            local.day = local.day.plus(days)
            return .instant(zone.instant(of: local))
        }
    }
}
