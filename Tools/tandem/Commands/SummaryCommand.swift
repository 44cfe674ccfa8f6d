import JSON
import Terminal
import ToDo

/// Shows how far each project is.
enum SummaryCommand: Command {
    static let name = "summary"
    static let summary = "Show how far each project is"
    static let help = """
          tandem summary
          tandem summary project:Work --svg work.svg

        A project counts what is below it too. "done" is the share of its to-dos that
        are completed; cancelled and deleted ones do not count.

        --svg FILE        draw a picture instead; - for standard output
        """
    static let values = ["svg"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let (filter, chosen) = try context.narrowedFilter(arguments.words)
        let summary = ProjectSummary(try context.todos.lives(filter), in: context.calendar)
        let chart = BarChart(summary)
        if try ChartOutput.save(chart, .rows, arguments) { return .ok }
        if arguments.has("json") {
            Screen.line(json(summary))
        } else if summary.rows.isEmpty {
            Screen.line("Nothing to count; all to-dos: \(AdvisedLine.program) list --all")
        } else {
            write(summary, chart)
        }
        chosen?.tell(arguments)
        return summary.rows.isEmpty ? .nothing : .ok
    }

    private static func write(_ summary: ProjectSummary, _ chart: BarChart) {
        let rows = summary.rows + (summary.rows.count > 1 ? [summary.total] : [])
        var names = summary.rows.map { row in
            let last = row.project.split(separator: ".").last.map { String($0) } ?? "(no project)"
            return String(repeating: "  ", count: row.depth)
                + (row.depth == 0 && !row.project.isEmpty ? row.project : last).shownInLine
        }
        if rows.count > names.count { names.append("all") }
        ChartOutput.write(
            chart, names: ("project", names),
            columns: [
                ("pending", rows.map { "\($0.pending)" }),
                ("done", rows.map { "\($0.percent) %" }),
                ("overdue", rows.map { $0.overdue == 0 ? "" : "\($0.overdue)" }),
                ("mean age", rows.map { $0.meanAge.map(TimeSpan.age) ?? "" }),
            ])
    }

    private static func json(_ summary: ProjectSummary) -> JSONLines {
        JSONOutput.array(
            summary.rows.map { row in
                JSONOutput.object([
                    ("project", JSONOutput.text(row.project)), ("pending", .number(row.pending)),
                    ("overdue", .number(row.overdue)), ("completed", .number(row.completed)),
                    ("percent", .number(row.percent)),
                    ("meanAgeInDays", row.meanAge.map { .number($0 / 86_400_000) } ?? .null),
                ])
            })
    }
}
