/// How the number of pending to-dos rose and fell over days, weeks or months.
///
/// Deleted to-dos do not count, neither do those that ended at a time nobody noted. One without a beginning
/// (`ToDoLife.start`) was there from the first row on.
package struct Burndown: Sendable, Hashable {
    /// The length of a row.
    package enum Period: String, CaseIterable, Sendable {
        case day, week, month

        /// The rows that are shown if nobody says how many: two weeks, a quarter, a year.
        package var standardCount: Int {
            switch self {
            case .day: 14
            case .week: 13
            case .month: 12
            }
        }
    }

    /// A day, week or month.
    package struct Row: Sendable, Hashable {
        /// Its days.
        package let days: Range<Int>
        /// How many were pending at its end, or are now if it has not ended.
        package var pending = 0
        /// How many were made in it.
        package var added = 0
        /// How many were completed in it.
        package var completed = 0
        /// How many were cancelled in it.
        package var cancelled = 0
    }

    /// The most rows.
    package static let rowCountMax = 400

    /// The length of each row.
    package let period: Period
    /// The rows, the earliest first; the last one is that of today.
    package let rows: [Row]
    /// The day on which none is pending if all goes on as it did in these rows; nil if there is no such day.
    package let emptyDay: Int?

    /// Counts lives.
    ///
    /// - Parameter count: the number of rows, 1 to `rowCountMax`.
    package init(_ lives: [ToDoLife], by period: Period, count: Int, in context: CalendarContext) {
        self.period = period
        let count = min(max(count, 1), Self.rowCountMax)
        var rows = (1 - count...0).map { Row(days: Self.days(period, later: $0, in: context)) }
        let starts = rows.map { context.zone.startOfDay($0.days.lowerBound) }
        // The row of an instant; -1 for one before them all. What a wrong clock put in the future is of today.
        func row(_ instant: Int64) -> Int {
            var (low, high) = (0, starts.count)
            while low < high {
                let middle = (low + high) / 2
                if starts[middle] <= instant { low = middle + 1 } else { high = middle }
            }
            return low - 1
        }
        var pending = 0
        for life in lives {
            let first = life.start(in: context).map(row) ?? -1
            guard life.status == .pending || life.ended != nil else { continue }
            if first < 0 { pending += 1 } else { rows[first].added += 1 }
            guard let ended = life.ended else { continue }
            let last = row(ended)
            if last < 0 {
                pending -= 1
            } else if life.status == .completed {
                rows[last].completed += 1
            } else {
                rows[last].cancelled += 1
            }
        }
        for index in rows.indices {
            pending += rows[index].added - rows[index].completed - rows[index].cancelled
            rows[index].pending = pending
        }
        self.rows = rows
        emptyDay = Self.emptyDay(rows, in: context)
    }

    private static func days(
        _ period: Period, later: Int, in context: CalendarContext
    ) -> Range<Int> {
        switch period {
        case .day: return context.today + later..<context.today + later + 1
        case .week: return context.week(later)
        case .month:
            let first = CivilDate(day: context.today).startOfMonth(later: later)
            return first.day..<first.startOfMonth(later: 1).day
        }
    }

    /// The most days that are looked ahead: ten years.
    private static let dayCountMax = 3_653.0

    private static func emptyDay(_ rows: [Row], in context: CalendarContext) -> Int? {
        guard let first = rows.first, let last = rows.last, last.pending > 0 else { return nil }
        let gone = rows.reduce(0) { $0 + $1.completed + $1.cancelled - $1.added }
        guard gone > 0 else { return nil }
        let length = context.today + 1 - first.days.lowerBound
        let days = (Double(last.pending) * Double(length) / Double(gone)).rounded(.up)
        return days > dayCountMax ? nil : context.today + Int(days)
    }
}
