/// Where and when a phrase is read.
struct DatePhraseContext {
    let now: Int64
    let zone: LocalTimeZone
    let weekStart: Weekday
    let localNow: LocalTime

    init(now: Int64, zone: LocalTimeZone, weekStart: Weekday) {
        self.now = now
        self.zone = zone
        self.weekStart = weekStart
        localNow = zone.localTime(at: now)
    }

    var today: Int { localNow.day }

    /// The first day of the current week, `weeks` later.
    func startOfWeek(later weeks: Int = 0) -> Int {
        today - Weekday(day: today).distance(after: weekStart) + weeks * 7
    }

    /// Adds a duration.
    ///
    /// Months come first (the last day stands in for one the month has not), then days, then
    /// the rest. Hours after a *day* set the clock (`tomorrow+10h` is 10:00 whether or not the
    /// clocks change that night); hours after a point in time really pass.
    func adding(_ duration: CalendarDuration, to term: DateTerm) -> DateTerm {
        switch term {
        case .day(let day):
            let moved = adding(duration, toDay: day)
            guard !duration.isWholeDays else { return .day(moved) }
            return .instant(instant(day: moved, milliseconds: duration.milliseconds))
        case .lastDay(let day):
            let moved = adding(duration, toDay: day)
            guard !duration.isWholeDays else { return .day(moved) }
            return .instant(instant(day: moved + 1, milliseconds: duration.milliseconds))
        case .instant(let instant):
            var local = zone.localTime(at: instant)
            let moved = adding(duration, toDay: local.day)
            guard moved != local.day else {
                return .instant(instant + Int64(duration.milliseconds))
            }
            local.day = moved
            return .instant(zone.instant(of: local) + Int64(duration.milliseconds))
        }
    }

    private func adding(_ duration: CalendarDuration, toDay day: Int) -> Int {
        guard duration.months != 0 else { return day + duration.days }
        return CivilDate(day: day).adding(months: duration.months).day + duration.days
    }

    /// The instant at which the clock shows a time, which may lie days before or after `day`.
    func instant(day: Int, milliseconds: Int) -> Int64 {
        let (days, rest) = milliseconds.quotientRoundedDown(by: 86_400_000)
        return zone.instant(of: LocalTime(day: day + days, millisecondOfDay: rest))
    }
}
