/// How a to-do comes again.
///
/// From due, the schedule stays where it began: the 31st stays the 31st behind a short month, 02:30
/// stays 02:30 behind a night that has none. From completion, it counts from the day of completion.
package struct Repetition: Sendable, Hashable {
    /// What lies between two occurrences.
    package enum Step: Sendable, Hashable {
        /// So many days; weeks are seven.
        case days(Int)
        /// So many months; years are twelve.
        case months(Int)
        /// On these days of the week, sorted from Monday.
        case weekdays([Weekday])
    }

    /// What the next occurrence is counted from.
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

    /// What lies between two occurrences.
    package var step: Step
    /// What the next occurrence is counted from.
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

    /// When an occurrence is due, counted from due, so many places behind where the schedule began.
    ///
    /// The same as so many times `next`, in a time that does not grow with their number.
    func due(afterPlaces count: Int, from begin: Moment, zone: LocalTimeZone) -> Moment {
        if count < 1 { return begin }
        let first = begin.day(in: zone)
        let day: Int
        switch step {
        case .days(let days): day = first + count * days
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
