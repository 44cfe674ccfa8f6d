import JSON
import Terminal
import ToDo

/// Lists stretches of work.
enum TimesCommand: Command {
    static let name = "times"
    static let summary = "List working times of some days"
    static let help = """
          tandem times
          tandem times --from monday --to friday
          tandem times project:Home --from som
          tandem times --from 2026-01-01 --json

        Default: this week. With --json an array of {id, title, project, tags, start,
        end, minutes}; a running timer has no end.

        --from DAY, --to DAY   the first and the last day
        """
    static let values = ["from", "to"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let filter = try context.filter(arguments.words)
        let week = context.calendar.week(0)
        let first = try TimeOption.day(arguments["from"], context)
        let last = try TimeOption.day(arguments["to"], context)
        let days = (first ?? week.lowerBound)..<((last.map { $0 + 1 }) ?? week.upperBound)
        guard days.lowerBound < days.upperBound || first ?? 0 <= last ?? .max else {
            throw CommandFailure(.usage, "--from lies behind --to")
        }
        let range = context.calendar.instants(days)
        let rows = try context.todos.stretches(of: filter, within: range)
        if arguments.has("json") {
            Screen.line(
                JSONOutput.array(rows.map { json($0, now: context.now) }))
        } else {
            write(rows, within: range, context)
        }
        return rows.isEmpty ? .nothing : .ok
    }

    private static func json(_ row: ToDoStore.Stretch, now: Int64) -> JSONValue {
        let (item, work) = (row.item, row.work)
        var members: [(String, JSONValue)] = [
            ("id", JSONOutput.text(row.id.uuidText)), ("title", JSONOutput.text(item.title)),
            ("project", JSONOutput.text(item.project)), ("tags", .texts(item.tags)),
            ("start", JSONOutput.text(TimestampText.rfc3339(work.start))),
        ]
        if let end = work.end {
            members.append(("end", JSONOutput.text(TimestampText.rfc3339(end))))
        }
        let minutes = max((work.end ?? now).minus(work.start), 0) / 60_000
        members.append(("minutes", .number(minutes)))
        return JSONOutput.object(members)
    }

    private static func write(
        _ rows: [ToDoStore.Stretch], within range: Range<Int64>,
        _ context: CommandContext
    ) {
        var day: Int?
        for row in rows {
            let (item, work) = (row.item, row.work)
            let start = context.zone.localTime(at: work.start)
            if start.day != day {
                if day != nil { Screen.line("") }
                Screen.line(Screen.bold(ToDoSections.name(of: start.day, in: context.calendar)))
                day = start.day
            }
            let end = work.end.map { clock(context.zone.localTime(at: $0)) } ?? "now  "
            let length = WorkInterval.clock(max((work.end ?? context.now).minus(work.start), 0))
            let line = "  \(clock(start))-\(end)  \(Cells.right(length, to: 5))  \(item.shownTitle)"
            // The project may take a third of the screen, and the rest of the line what it leaves.
            let screen = Screen.width ?? .max
            let project =
                item.project.isEmpty
                ? "" : "  " + Cells.cut(item.project.shownInLine, to: max(screen / 3, 12))
            let room = screen - Cells.count(project)
            Screen.line("\(Cells.cut(line, to: max(room, 24)))\(Screen.faint(project))")
        }
        let sum = WorkInterval.milliseconds(rows.map(\.work), within: range, now: context.now)
        Screen.paragraph(
            rows.isEmpty
                ? "No work was noted: `\(AdvisedLine.program) start` and a to-do's number begins"
                : "\(WorkInterval.clock(sum)) in all, time in several counted once",
            hanging: 2, style: Screen.faint)
    }

    private static func clock(_ time: LocalTime) -> String {
        let minute = time.minute
        return Cells.right("\(time.hour):\(minute < 10 ? "0" : "")\(minute)", to: 5)
    }
}
