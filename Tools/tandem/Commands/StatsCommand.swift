import JSON
import Terminal
import ToDo

/// Shows figures about the list.
enum StatsCommand: Command {
    static let name = "stats"
    static let summary = "Show figures about the list, and how fast things get done"
    static let help = """
          tandem stats
          tandem stats project:Work --json

        A streak is a row of days, each with something completed; it ends after a day
        without. Deleted to-dos do not count. The bars are the last \(ListStatistics.dayCount) days.

        --svg FILE        draw the bars as a picture instead; - for standard output
        """
    static let values = ["svg"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let (filter, chosen) = try context.narrowedFilter(arguments.words)
        let figures = ListStatistics(try context.todos.lives(filter), in: context.calendar)
        let chart = BarChart(figures)
        if try ChartOutput.save(chart, .columns, arguments) { return .ok }
        if arguments.has("json") {
            Screen.line(json(figures))
        } else {
            try write(figures, context)
            draw(figures, chart)
        }
        chosen?.tell(arguments)
        return .ok
    }

    private static func write(_ figures: ListStatistics, _ context: CommandContext) throws {
        var lines = [
            ("pending", "\(figures.pending)"), ("  overdue", "\(figures.overdue)"),
            ("  with a date", "\(figures.dated)"),
            ("  projects", "\(figures.projectCount)"), ("completed", "\(figures.completed)"),
            ("cancelled", "\(figures.cancelled)"),
        ]
        for recent in figures.recent {
            lines.append(
                (
                    "last \(recent.dayCount) days",
                    "\(recent.added) added, \(recent.completed) completed"
                ))
        }
        if let time = figures.medianTime { lines.append(("half done within", TimeSpan.age(time))) }
        if let day = figures.bestWeekday {
            lines.append(("most completed on", day.shortName))
        }
        lines.append(
            (
                "streak",
                "\(EditMessages.count(figures.streak, "day")), the longest \(figures.longestStreak)"
            ))
        if let oldest = figures.oldest, let stored = try context.todos.stored(oldest.id) {
            let age = TimeSpan.age(max(0, context.now - oldest.created))
            let title = try context.todos.item(stored).shownTitle
            lines.append(("oldest pending", "\(context.name(of: stored))  \(title), \(age)"))
        }
        let width = (lines.map { $0.0.count }.max() ?? 0) + 2
        for (name, value) in lines {
            Screen.paragraph(value, label: Cells.padded(name, to: width), hanging: width)
        }
    }

    /// The last days, with a bar for what was completed on each; nothing if nothing was made or done.
    private static func draw(_ figures: ListStatistics, _ chart: BarChart) {
        guard figures.daily.contains(where: { $0.added + $0.completed > 0 }) else { return }
        Screen.line("")
        ChartOutput.write(
            chart, names: ("day", chart.bars.map(\.label)),
            columns: [
                ("added", figures.daily.map { "\($0.added)" }),
                ("done", figures.daily.map { "\($0.completed)" }),
            ])
    }

    private static func json(_ figures: ListStatistics) -> JSONValue {
        let recent = figures.recent.map { recent in
            JSONOutput.object([
                ("days", .number(recent.dayCount)), ("added", .number(recent.added)),
                ("completed", .number(recent.completed)),
            ])
        }
        let daily = figures.daily.map { row in
            JSONOutput.object([
                ("day", JSONOutput.text(TimestampText.day(row.day))), ("added", .number(row.added)),
                ("completed", .number(row.completed)),
            ])
        }
        return JSONOutput.object([
            ("pending", .number(figures.pending)), ("overdue", .number(figures.overdue)),
            ("dated", .number(figures.dated)), ("projects", .number(figures.projectCount)),
            ("completed", .number(figures.completed)), ("cancelled", .number(figures.cancelled)),
            ("recent", .array(recent)), ("daily", .array(daily)),
            ("medianMinutes", figures.medianTime.map { .number($0 / 60_000) } ?? .null),
            ("bestWeekday", figures.bestWeekday.map { JSONOutput.text($0.shortName) } ?? .null),
            ("streak", .number(figures.streak)), ("longestStreak", .number(figures.longestStreak)),
            ("oldest", figures.oldest.map { JSONOutput.text($0.id.uuidText) } ?? .null),
        ])
    }
}
