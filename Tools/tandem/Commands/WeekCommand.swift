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
        Accomplished: those of them that began and ended on their due day; %: as a share
        of those planned. Early: begun or done before that day. Late: done after it.
        Overlapping times count once.

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
        let names = report.days.map { day in
            let date = CivilDate(day: day)
            let mark = day == context.calendar.today ? " <" : ""
            return "\(date.weekday.shortName) \(TimestampText.day(day))\(mark)"
        }
        let projects = report.projects.map { name, _ in
            name.isEmpty ? "(no project)" : name.shownInLine
        }
        let room = (Screen.width ?? 200) - 53
        let width = min(
            (names + projects + ["Week"]).map(Cells.count).max() ?? 0, max(room, 12))
        func line(_ name: String, _ row: WeekReport.Row, isDue: Bool = true) -> String {
            let percent = row.planned == 0 ? "" : "\(row.accomplished * 100 / row.planned) %"
            let cells = [
                (isDue ? "\(row.planned)" : "", 7), (isDue ? "\(row.accomplished)" : "", 12),
                (isDue ? "\(row.early)" : "", 5), (isDue ? "\(row.late)" : "", 4), (percent, 6),
                (row.worked == 0 ? "" : Duration.clock(row.worked), 7),
            ]
            return Cells.padded(Cells.cut(name, to: width), to: width)
                + cells.map { "  " + Cells.right($0.0, to: $0.1) }.joined()
        }
        let heading =
            Cells.padded("", to: width) + "  planned  accomplished  early  late       %   worked"
        Screen.line(Screen.bold(heading))
        for (name, row) in zip(names, report.daily) { Screen.line(line(name, row)) }
        Screen.line(Screen.bold(line("Week", report.total)))
        if report.projects.isEmpty { return }
        Screen.line("")
        for (name, project) in zip(projects, report.projects) {
            Screen.line(line(name, project.row))
        }
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
