/// The plan of a week against its results.
///
/// A to-do must begin and end on the day on which it is due, else it was not accomplished. One whose
/// beginning nobody noted began when it was done.
package struct WeekReport: Sendable, Equatable {
    /// The sums of a day, a project or the week.
    package struct Row: Sendable, Equatable {
        /// How many were due.
        package var planned = 0
        /// How many of them were accomplished.
        package var accomplished = 0
        /// How many of them were begun or done before their day, and were done by its end.
        package var early = 0
        /// How many of them were done after their day.
        package var late = 0
        /// Milliseconds of work, time in several stretches counted once.
        package var worked: Int64 = 0
    }

    /// The days.
    package let days: Range<Int>
    /// A row for each day.
    package let daily: [Row]
    /// A row for each project that has something to tell, sorted; "" is none.
    package let projects: [(name: String, row: Row)]
    /// The sums.
    package let total: Row

    /// The report of a week.
    ///
    /// - Parameters:
    ///   - items: what may be due or worked on in it.
    ///   - later: this week, or so many weeks later.
    ///   - day: the day whose week is meant; nil for today.
    package init(
        _ items: [ToDoItem], week later: Int = 0, around day: Int? = nil,
        in context: CalendarContext
    ) {
        days = context.week(later, around: day)
        var daily = [Row](repeating: Row(), count: days.count)
        var projects: [String: Row] = [:]
        var work: [WorkInterval] = []
        var projectWork: [String: [WorkInterval]] = [:]
        for item in items {
            if !item.work.isEmpty {
                work += item.work
                projectWork[item.project, default: []] += item.work
            }
            guard item.status != .cancelled, let due = item.due?.day(in: context.zone),
                days.contains(due)
            else { continue }
            let isAccomplished = Self.isAccomplished(item, in: context)
            let finish = Self.finish(of: item)?.day(in: context.zone) ?? due
            func count(_ row: inout Row) {
                row.planned += 1
                if isAccomplished {
                    row.accomplished += 1
                } else if item.isComplete {
                    if finish > due { row.late += 1 } else { row.early += 1 }
                }
            }
            count(&daily[due - days.lowerBound])
            count(&projects[item.project, default: Row()])
        }
        func worked(_ intervals: [WorkInterval], _ days: Range<Int>) -> Int64 {
            WorkInterval.milliseconds(
                intervals, within: context.instants(days), now: context.now)
        }
        for index in daily.indices {
            let day = days.lowerBound + index
            daily[index].worked = worked(work, day..<day + 1)
        }
        for (project, intervals) in projectWork {
            let time = worked(intervals, days)
            if time > 0 || projects[project] != nil {
                projects[project, default: Row()].worked = time
            }
        }
        self.daily = daily
        self.projects = projects.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var total = Row()
        for row in daily {
            total.planned += row.planned
            total.accomplished += row.accomplished
            total.early += row.early
            total.late += row.late
        }
        total.worked = worked(work, days)
        self.total = total
    }

    /// Whether a to-do began and ended on the day on which it is due.
    package static func isAccomplished(_ item: ToDoItem, in context: CalendarContext) -> Bool {
        guard item.isComplete, let due = item.due?.day(in: context.zone) else { return false }
        guard let finish = finish(of: item) else { return false }
        let start = item.workStart ?? finish
        return start.day(in: context.zone) == due && finish.day(in: context.zone) == due
    }

    /// When a to-do was finished: as work on it tells, else when it was done.
    private static func finish(of item: ToDoItem) -> Moment? {
        item.workFinish ?? item.completed.map { .instant($0) }
    }

    package static func == (left: WeekReport, right: WeekReport) -> Bool {
        left.days == right.days && left.daily == right.daily && left.total == right.total
            && left.projects.elementsEqual(right.projects) {
                $0.name == $1.name && $0.row == $1.row
            }
    }
}
