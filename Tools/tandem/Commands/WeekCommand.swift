import JSON
import Terminal
import ToDo

/// Reports a week.
enum WeekCommand: Command {
    static let name = "week"
    static let summary = "Report on a week: planned, accomplished, time worked"
    static let help = """
          tandem week
          tandem week last
          tandem week 2026-11-02 --json

        Planned: to-dos due that week, and the next times of repeating ones.
        Accomplished (acc. on a narrow screen): those of them that began and ended on
        their due day; %: as a share of those planned. Early: begun or done before that
        day. Late: done after it. Overlapping times count once.

        --svg FILE        draw a picture instead; - for standard output
        """
    static let values = ["svg"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let word = arguments.words.isEmpty ? nil : arguments.words.joined(separator: " ")
        let offsets = ["last": -1, "this": 0, "next": 1]
        let later = word.flatMap { offsets[$0] }
        let day = later == nil ? try TimeOption.day(word, context) : nil
        let days = context.calendar.week(later ?? 0, around: day)
        let chosen = try context.chosenContext()
        let lists = try context.todos.lists(of: days, taking: chosen?.filter)
        let report = WeekReport(
            lists.items + lists.toCome, week: later ?? 0, around: day, in: context.calendar)
        if try ChartOutput.save(BarChart(report), .columns, arguments) { return .ok }
        if arguments.has("json") {
            Screen.line(json(report))
        } else {
            write(report, context)
        }
        chosen?.tell(arguments)
        return .ok
    }

    private static func write(_ report: WeekReport, _ context: CommandContext) {
        let screen = Screen.width ?? 200
        let chart = BarChart(report)
        let columns = columns(in: screen)
        let columnsWidth = columns.reduce(0) { $0 + 2 + $1.width }
        let names = zip(report.days, chart.bars).map { day, bar in
            let name =
                screen < narrowWidth
                ? bar.label
                : "\(CivilDate(day: day).weekday.shortName) \(TimestampText.day(day))"
            return name + (day == context.calendar.today ? " <" : "")
        }
        let dayWidth = (names + ["Week"]).map(Cells.count).max() ?? 0
        func line(_ name: String, to width: Int, _ row: WeekReport.Row) -> String {
            Cells.padded(Cells.cut(name, to: width), to: width)
                + columns.map { "  " + Cells.right($0.text(row), to: $0.width) }.joined()
        }
        func heading(_ name: String, to width: Int) -> String {
            Cells.padded(name, to: width)
                + columns.map { "  " + Cells.right($0.heading, to: $0.width) }.joined()
        }
        let barWidth = ChartOutput.barWidth(in: screen - dayWidth - columnsWidth - 2)
        let legend = ChartOutput.legend(chart)
        let hasLegend = barWidth.map { Cells.count(legend) <= $0 } ?? false
        Screen.line(
            Screen.bold(heading("", to: dayWidth) + (hasLegend ? "  " + legend : "")))
        for (index, name) in names.enumerated() {
            let bar = barWidth.map {
                "  " + ChartOutput.bar(chart.bars[index], longest: chart.longest, in: $0)
            }
            Screen.line(
                (line(name, to: dayWidth, report.daily[index]) + (bar ?? "")).trimmedAtEnd)
        }
        Screen.line(Screen.bold(line("Week", to: dayWidth, report.total)))
        if barWidth != nil, !hasLegend { Screen.line(Screen.faint(legend)) }
        if report.projects.isEmpty { return }
        let projects = report.projects.map { name, _ in
            name.isEmpty ? "(no project)" : name.shownInLine
        }
        let width = min(
            (projects + ["project"]).map(Cells.count).max() ?? 0, max(screen - columnsWidth, 12))
        Screen.line("")
        Screen.line(Screen.bold(heading("project", to: width)))
        for (name, project) in zip(projects, report.projects) {
            Screen.line(line(name, to: width, project.row))
        }
    }

    /// The columns of a screen on which names are short.
    private static let narrowWidth = 61

    /// A column beside the names.
    private struct Column {
        let heading: String
        let width: Int
        let text: (WeekReport.Row) -> String
    }

    /// The columns for which a screen has room beside a day of 16 cells.
    private static func columns(in width: Int) -> [Column] {
        let isNarrow = width < narrowWidth
        var columns = [
            Column(heading: isNarrow ? "plan" : "planned", width: isNarrow ? 4 : 7) {
                "\($0.planned)"
            },
            Column(heading: isNarrow ? "acc." : "accomplished", width: isNarrow ? 4 : 12) {
                "\($0.accomplished)"
            },
        ]
        if !isNarrow {
            columns.append(Column(heading: "early", width: 5) { "\($0.early)" })
            columns.append(Column(heading: "late", width: 4) { "\($0.late)" })
        }
        if width >= narrowWidth + 8 {
            columns.append(
                Column(heading: "%", width: 6) {
                    $0.planned == 0 ? "" : "\($0.accomplished * 100 / $0.planned) %"
                })
        }
        columns.append(
            Column(heading: "worked", width: 7) {
                $0.worked == 0 ? "" : WorkInterval.clock($0.worked)
            })
        return columns
    }

    private static func json(_ report: WeekReport) -> JSONValue {
        func members(_ row: WeekReport.Row) -> [(String, JSONValue)] {
            [
                ("planned", .number(row.planned)), ("accomplished", .number(row.accomplished)),
                ("early", .number(row.early)), ("late", .number(row.late)),
                ("minutes", .number(row.worked / 60_000)),
            ]
        }
        let days = zip(report.days, report.daily).map { day, row in
            JSONOutput.object([("day", JSONOutput.text(TimestampText.day(day)))] + members(row))
        }
        let projects = report.projects.map { name, row in
            JSONOutput.object([("project", JSONOutput.text(name))] + members(row))
        }
        let head: [(String, JSONValue)] = [
            ("from", JSONOutput.text(TimestampText.day(report.days.lowerBound))),
            ("to", JSONOutput.text(TimestampText.day(report.days.upperBound - 1))),
            ("days", .array(days)), ("projects", .array(projects)),
        ]
        return JSONOutput.object(head + members(report.total))
    }
}
