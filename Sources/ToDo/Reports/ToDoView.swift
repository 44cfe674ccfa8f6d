/// A list that people look at again and again.
package enum ToDoView: String, Sendable, CaseIterable {
    case today
    case tomorrow
    case yesterday
    /// To-dos that are due today or on no day.
    case other
    case lastWeek = "last-week"
    case thisWeek = "this-week"
    case nextWeek = "next-week"
    case overdue
    case upcoming
    case inbox
    case log
}

extension ToDoView {
    /// The content of the view, in a line.
    package var summary: String {
        switch self {
        case .today: "what today asks for: overdue, due, planned to begin, begun"
        case .tomorrow: "what is due or planned tomorrow"
        case .yesterday: "what was due yesterday, done or not"
        case .other: "what is due neither yesterday, today nor tomorrow"
        case .lastWeek: "what was due last week, done or not"
        case .thisWeek: "what is due this week, done or not"
        case .nextWeek: "what is due next week"
        case .overdue: "what should be done already"
        case .upcoming: "what is due or planned in the next days"
        case .inbox: "what is in no project yet"
        case .log: "what was done, the latest first"
        }
    }

    /// Whether finished to-dos belong to it.
    package var showsFinished: Bool {
        switch self {
        case .yesterday, .lastWeek, .thisWeek, .log: true
        default: false
        }
    }

    /// The to-dos that a list shows if nobody says how many.
    package static let standardCount = 500

    /// The days beyond today that `upcoming` looks ahead.
    static let upcomingDayCount = 14

    /// Whether an item belongs to the view.
    package func takes(_ item: ToDoItem, in context: CalendarContext) -> Bool {
        if !showsFinished, item.status != .pending { return false }
        let isWaiting = item.wait.map { $0.start(in: context.zone) > context.now } ?? false
        let due = item.due?.day(in: context.zone)
        let planned = item.scheduled?.day(in: context.zone)
        func lies(_ days: Range<Int>, _ day: Int?) -> Bool { day.map(days.contains) ?? false }
        let today = context.today
        switch self {
        case .today: return context.has(item, .agenda)
        case .tomorrow:
            let tomorrow = today + 1..<today + 2
            return !isWaiting && (lies(tomorrow, due) || lies(tomorrow, planned))
        case .yesterday: return lies(today - 1..<today, due)
        case .other: return !isWaiting && !lies(today - 1..<today + 2, due)
        case .lastWeek: return lies(context.week(-1), due)
        case .thisWeek: return lies(context.week(0), due)
        case .nextWeek: return lies(context.week(1), due)
        case .overdue: return context.has(item, .overdue)
        case .upcoming:
            let ahead = today + 1..<today + 1 + Self.upcomingDayCount
            return lies(ahead, due) || lies(ahead, planned)
        case .inbox: return !isWaiting && item.project.isEmpty
        case .log: return item.status != .pending
        }
    }

    /// The filter that the store answers first; it takes a few too many, and never one too few.
    package func filter(in context: CalendarContext) -> ToDoFilter {
        func around(_ days: Range<Int>) -> [ToDoFilter.Condition] {
            [
                .date(.due, .after(.day(Int32(clamping: days.lowerBound - 2)))),
                .date(.due, .before(.day(Int32(clamping: days.upperBound + 1)))),
            ]
        }
        let today = context.today
        let conditions: [ToDoFilter.Condition] =
            switch self {
            case .today: [.virtual(.agenda)]
            case .tomorrow, .other, .upcoming, .inbox: [.status(.pending)]
            case .yesterday: around(today - 1..<today)
            case .lastWeek: around(context.week(-1))
            case .thisWeek: around(context.week(0))
            case .nextWeek: around(context.week(1))
            case .overdue: [.virtual(.overdue)]
            case .log: [.not(.status(.pending))]
            }
        return ToDoFilter(conditions, weekStart: context.weekStart)
    }
}

/// When and where somebody looks at to-dos.
package struct CalendarContext: Sendable {
    /// Milliseconds since 1970.
    package let now: Int64
    /// The zone in which days begin.
    package let zone: LocalTimeZone
    /// The first day of the week.
    package let weekStart: Weekday
    /// The day; days since 1970-01-01.
    package let today: Int

    /// A time, a zone and the first day of the week.
    package init(now: Int64, zone: LocalTimeZone, weekStart: Weekday = .monday) {
        self.now = now
        self.zone = zone
        self.weekStart = weekStart
        today = zone.localTime(at: now).day
    }

    /// The days of this week, or of one so many weeks later.
    package func week(_ later: Int, around day: Int? = nil) -> Range<Int> {
        let day = day ?? today
        let first = day - Weekday(day: day).distance(after: weekStart) + later * 7
        return first..<first + 7
    }

    /// The instants of days.
    package func instants(_ days: Range<Int>) -> Range<Int64> {
        zone.startOfDay(days.lowerBound)..<zone.startOfDay(days.upperBound)
    }

    /// Whether an item has a tag that follows from its dates.
    package func has(_ item: ToDoItem, _ tag: ToDoVirtualTag) -> Bool {
        tag.matches(item, now: now, zone: zone, weekStart: weekStart)
    }
}
