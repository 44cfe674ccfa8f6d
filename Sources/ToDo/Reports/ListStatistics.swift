import Core

/// Figures about a list as a whole.
package struct ListStatistics: Sendable {
    /// The to-dos that were made and ended in the last days, today among them.
    package struct Recent: Sendable, Hashable {
        /// The number of days.
        package let dayCount: Int
        /// How many were made.
        package var added = 0
        /// How many were completed.
        package var completed = 0
    }

    /// The to-dos that were made and ended on one day.
    package struct Day: Sendable, Hashable {
        /// The day, counted from 1970-01-01.
        package let day: Int
        /// How many were made.
        package var added = 0
        /// How many were completed.
        package var completed = 0
    }

    /// How many days are told one by one, today among them.
    package static let dayCount = 14

    /// How many are pending.
    package private(set) var pending = 0
    /// How many are completed.
    package private(set) var completed = 0
    /// How many are cancelled.
    package private(set) var cancelled = 0
    /// How many of the pending ones are overdue.
    package private(set) var overdue = 0
    /// How many of the pending ones have a date.
    package private(set) var dated = 0
    /// The number of projects with something pending.
    package let projectCount: Int
    /// The last week and the last 30 days.
    package let recent: [Recent]
    /// The last days, today at the end.
    package let daily: [Day]
    /// The pending one that was made first, and when.
    package let oldest: (id: RecordID, created: Int64)?
    /// Half of the completed ones took no longer than this from when they were made; milliseconds, nil if none did.
    package let medianTime: Int64?
    /// The days in a row, up to today or yesterday, on each of which something was completed.
    package let streak: Int
    /// The most days in a row on each of which something was completed.
    package let longestStreak: Int
    /// The day of the week on which most is completed; nil if nothing is.
    package let bestWeekday: Weekday?

    /// Counts lives.
    package init(_ lives: [ToDoLife], in context: CalendarContext) {
        var projects: Set<String> = []
        var recent = [7, 30].map { Recent(dayCount: $0) }
        let starts = recent.map { context.zone.startOfDay(context.today - $0.dayCount + 1) }
        var daily = (context.today - Self.dayCount + 1...context.today).map { Day(day: $0) }
        let firstDay = context.today - Self.dayCount + 1
        func index(_ instant: Int64) -> Int? {
            let index = Moment.instant(instant).day(in: context.zone) - firstDay
            return daily.indices.contains(index) ? index : nil
        }
        var oldest: (id: RecordID, created: Int64)?
        var times: [Int64] = []
        var countByDay: [Int: Int] = [:]
        for life in lives {
            let start = life.start(in: context)
            for index in recent.indices {
                if let start, start >= starts[index] { recent[index].added += 1 }
            }
            if let index = start.flatMap(index) { daily[index].added += 1 }
            switch life.status {
            case .cancelled: cancelled += 1
            case .pending:
                pending += 1
                if life.isOverdue(in: context) { overdue += 1 }
                if life.due != nil { dated += 1 }
                if !life.project.isEmpty { projects.insert(life.project) }
                if let start, start < oldest?.created ?? .max { oldest = (life.id, start) }
            case .completed:
                completed += 1
                guard let ended = life.ended else { continue }
                countByDay[Moment.instant(ended).day(in: context.zone), default: 0] += 1
                if let index = index(ended) { daily[index].completed += 1 }
                for index in recent.indices where ended >= starts[index] {
                    recent[index].completed += 1
                }
                if let created = life.created {
                    times.append(ended.subtractingReportingOverflow(created).partialValue)
                }
            }
        }
        projectCount = projects.count
        self.recent = recent
        self.daily = daily
        self.oldest = oldest
        times.sort()
        medianTime = times.isEmpty ? nil : times[(times.count - 1) / 2]
        (streak, longestStreak) = Self.streaks(countByDay.keys.sorted(), today: context.today)
        var countByWeekday: [Weekday: Int] = [:]
        for (day, count) in countByDay { countByWeekday[Weekday(day: day), default: 0] += count }
        // The first of the week where two are equal.
        bestWeekday = context.week(0).map { Weekday(day: $0) }.max {
            countByWeekday[$0, default: 0] < countByWeekday[$1, default: 0]
        }.flatMap { countByWeekday[$0] == nil ? nil : $0 }
    }

    /// The days in a row up to today or yesterday, and the most in a row.
    private static func streaks(_ days: [Int], today: Int) -> (now: Int, longest: Int) {
        var (now, longest, length) = (0, 0, 0)
        var last: Int?
        for day in days {
            length = last.map { $0 + 1 == day } ?? false ? length + 1 : 1
            longest = max(longest, length)
            if day == today || day == today - 1 { now = length }
            last = day
        }
        return (now, longest)
    }
}
