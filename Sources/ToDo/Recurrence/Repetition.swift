import Core

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
        /// On these days of every so many months.
        case monthDays(MonthDays, every: Int)
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

/// A date on which something comes again.
package struct NextDate: Sendable, Hashable {
    /// When it is due.
    package let due: Moment
    /// The dates before it that are left out.
    package let leftOutCount: Int

    /// A date.
    package init(due: Moment, leftOutCount: Int = 0) {
        self.due = due
        self.leftOutCount = leftOutCount
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

    /// The rule of the next occurrence; nil if this one is the last.
    package func following(_ next: NextDate, zone: LocalTimeZone) -> Repetition? {
        var rule = self
        switch end {
        case nil: break
        case .count(let count):
            // Dates that are left out count.
            let left = count - 1 - next.leftOutCount
            if left < 1 { return nil }
            rule.end = .count(left)
        case .last(let last):
            if next.due.start(in: zone) >= last.end(in: zone) { return nil }
        }
        return rule
    }

    /// When the next occurrence is due; nil if there is no date any more.
    ///
    /// - Parameters:
    ///   - due: when this one was; nil if it had no date.
    ///   - anchor: where the schedule began; nil if that is `due`.
    ///   - completed: when this one was done; milliseconds since 1970.
    ///   - zone: the zone in which days begin.
    ///   - days: the days that are left out; days since 1970-01-01.
    package func next(
        after due: Moment?, anchor: Moment?, completed: Int64, zone: LocalTimeZone,
        except days: Set<Int32> = []
    ) -> NextDate? {
        let begin = anchor ?? due
        let last: Int
        let first: Int
        if basis == .due, let due, let begin {
            (last, first) = (due.day(in: zone), begin.day(in: zone))
        } else {
            first = zone.localTime(at: completed).day
            last = skipsMonth ? CivilDate(day: first).endOfMonth().day : first
        }
        return date(after: last, except: days, like: begin, in: zone) { day in
            scheduled(after: day, from: first)
        }
    }

    /// Whether what is counted from completion never comes again in the month of that.
    private var skipsMonth: Bool {
        if case .monthDays(_, let count) = step { count > 1 } else { false }
    }

    /// The first date of the schedule on a day or later; what is counted from completion has its date on that day.
    ///
    /// - Parameters:
    ///   - day: days since 1970-01-01.
    ///   - due: an earlier date.
    ///   - anchor: where the schedule began.
    ///   - days: the days that are left out.
    /// - Returns: nil if there is none.
    package func first(
        from day: Int, after due: Moment, anchor: Moment, in zone: LocalTimeZone,
        except days: Set<Int32> = []
    ) -> Moment? {
        let last = max(day - 1, due.day(in: zone))
        let begin = anchor.day(in: zone)
        return date(after: last, except: days, like: anchor, in: zone) { day in
            basis == .due ? scheduled(after: day, from: begin) : day + 1
        }?.due
    }

    /// The most dates one behind another that are left out; a series with more of them ends.
    package static let leftOutCountMax = 1_000

    /// The first date behind a day that is not left out.
    private func date(
        after day: Int, except days: Set<Int32>, like begin: Moment?, in zone: LocalTimeZone,
        _ following: (Int) -> Int?
    ) -> NextDate? {
        var last = day
        for count in 0...Self.leftOutCountMax {
            guard let found = following(last) else { return nil }
            guard let day = Int32(exactly: found), days.contains(day) else {
                return NextDate(
                    due: Self.moment(on: found, like: begin, zone: zone), leftOutCount: count)
            }
            last = found
        }
        return nil
    }

    /// When an occurrence is due, counted from due, so many places behind where the schedule began.
    ///
    /// The same as so many times `next`; the time that it takes grows with their number for days of months alone.
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
            for _ in 0...rest { last = scheduled(after: last, from: first) ?? last }
            day = last + weeks * 7
        case .monthDays:
            var last = first
            for _ in 0..<count { last = scheduled(after: last, from: first) ?? last }
            day = last
        }
        return Self.moment(on: day, like: begin, zone: zone)
    }

    /// A day, at the time of day of another moment if that has one.
    static func moment(on day: Int, like begin: Moment?, zone: LocalTimeZone) -> Moment {
        guard case .instant(let instant)? = begin else {
            return .day(Int32(clamping: day))
        }
        let clock = zone.localTime(at: instant).millisecondOfDay
        return .instant(zone.instant(of: LocalTime(day: day, millisecondOfDay: clock)))
    }

    /// The most months without a date that are looked at, one behind another: the calendar comes round after 400
    /// years, so where every so many years have none in so many, none ever has.
    package static let emptyMonthCountMax = 400

    /// The first day of the schedule behind `day`; nil if it has none any more.
    private func scheduled(after day: Int, from begin: Int) -> Int? {
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
        case .monthDays(let days, let count):
            let (from, to) = (CivilDate(day: begin), CivilDate(day: day))
            let months = (to.year - from.year) * 12 + to.month - from.month
            let number = months.quotientRoundedDown(by: count).quotient
            // The month of `day` may have none behind it.
            for later in 0...Self.emptyMonthCountMax {
                let month = from.startOfMonth(later: (number + later) * count)
                if let found = days.first(after: day, in: month) { return found }
            }
            return nil
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

    /// The rule as a person reads it, with the days that are left out: also which day of the month it is, where the
    /// words leave that open.
    package func repeatsShown(in zone: LocalTimeZone) -> String {
        repeats.isEmpty ? "" : ruleShown(in: zone) + exceptionsShown
    }

    private func ruleShown(in zone: LocalTimeZone) -> String {
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
