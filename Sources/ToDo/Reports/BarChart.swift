import Core

/// Stacked bars, which a terminal or a page draws.
package struct BarChart: Sendable, Hashable {
    /// A bar: one number for each series, none of them negative.
    package struct Bar: Sendable, Hashable {
        /// The name beside the bar.
        package let label: String
        /// The lengths of its parts, the first at the foot.
        package let values: [Int]

        /// A bar.
        package init(_ label: String, _ values: [Int]) {
            self.label = label
            self.values = values
        }

        /// The length of all parts.
        package var total: Int { values.reduce(0, +) }
    }

    /// The heading.
    package let title: String
    /// The names of the parts of a bar.
    package let series: [String]
    /// The bars, in order.
    package let bars: [Bar]

    /// A chart.
    package init(_ title: String, series: [String], bars: [Bar]) {
        self.title = title
        self.series = series
        self.bars = bars
    }

    /// The length of the longest bar, at least 1.
    package var longest: Int { max(1, bars.map(\.total).max() ?? 0) }
}

extension BarChart {
    /// The burndown: what is pending, and on top what was completed in each row.
    package init(_ burndown: Burndown) {
        self.init(
            "To-dos by \(burndown.period.rawValue)", series: ["pending", "completed"],
            bars: burndown.rows.map { row in
                Bar(Self.label(row.days, burndown.period), [row.pending, row.completed])
            })
    }

    /// The completed and the pending to-dos of each project.
    package init(_ summary: ProjectSummary) {
        self.init(
            "To-dos by project", series: ["completed", "pending"],
            bars: summary.rows.map { row in
                Bar(
                    row.project.isEmpty ? "(no project)" : row.project,
                    [row.completed, row.pending])
            })
    }

    /// The to-dos completed on each of the last days.
    package init(_ figures: ListStatistics) {
        self.init(
            "Completed by day", series: ["completed"],
            bars: figures.daily.map { row in
                let date = CivilDate(day: row.day)
                return Bar(
                    "\(date.weekday.shortName) \(Self.label(row.day..<row.day + 1, .day))",
                    [row.completed])
            })
    }

    /// The plan of each day of a week, by what came of it.
    package init(_ report: WeekReport) {
        self.init(
            "Week of \(TimestampText.day(report.days.lowerBound))",
            series: ["accomplished", "early", "late", "open"],
            bars: zip(report.days, report.daily).map { day, row in
                let open = row.planned - row.accomplished - row.early - row.late
                return Bar(
                    "\(Weekday(day: day).shortName) \(CivilDate(day: day).dayOfMonth)",
                    [row.accomplished, row.early, row.late, max(0, open)])
            })
    }

    /// `16 Nov` for a day, or the first of a week; `Nov 2026` for a month.
    package static func label(_ days: Range<Int>, _ period: Burndown.Period) -> String {
        let date = CivilDate(day: days.lowerBound)
        let month = DayNames.short(month: date.month)
        return period == .month ? "\(month) \(date.year)" : "\(date.dayOfMonth) \(month)"
    }
}
