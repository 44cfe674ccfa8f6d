/// When and where somebody looks at to-dos.
package struct ToDoPlace: Sendable {
    /// Milliseconds since 1970.
    package let now: Int64
    /// The zone in which days begin.
    package let zone: LocalTimeZone
    /// The first day of the week.
    package let weekStart: Weekday
    /// The day; days since 1970-01-01.
    package let today: Int

    /// A time and place.
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
