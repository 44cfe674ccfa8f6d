import JSON
import Terminal
import ToDo

/// Shows a day by its hours.
enum AgendaCommand: Command {
    static let name = "agenda"
    static let summary = "Show a day, hour by hour"
    static let help = """
          tandem agenda
          tandem agenda tomorrow
          tandem agenda 2026-12-24

        To-dos without a time of day come first. The hours follow, with to-dos that are
        due or planned then, and the times you worked. ~ marks the next times of a
        repeating to-do, as long as it is done on its days.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let word = arguments.words.isEmpty ? nil : arguments.words.joined(separator: " ")
        let day = try TimeOption.day(word, context) ?? context.calendar.today
        let chosen = try context.chosenContext()
        let lists = try context.todos.lists(of: day..<day + 1, taking: chosen?.filter)
        let agenda = DayAgenda(lists.items + lists.toCome, day: day, in: context.calendar)
        if arguments.has("json") {
            Screen.line(json(agenda))
        } else {
            write(agenda, context)
        }
        chosen?.tell(arguments)
        return agenda.entries.isEmpty && agenda.wholeDay.isEmpty ? .nothing : .ok
    }

    /// The hours that are shown though nothing stands in them.
    private static let usualHours = 8...18

    private static func write(_ agenda: DayAgenda, _ context: CommandContext) {
        Screen.line(Screen.bold(ToDoSections.name(of: agenda.day, in: context.calendar)))
        for item in agenda.wholeDay { put("        ", mark(item) + item.shownTitle) }
        var rows: [Int: [(time: String, text: String)]] = [:]
        for entry in agenda.entries {
            let start = context.zone.localTime(at: entry.start)
            // Work that began the day before stands in the first hour.
            let hour = start.day < agenda.day ? 0 : start.hour
            rows[hour, default: []].append((clock(start), text(entry, context)))
        }
        let first = min(rows.keys.min() ?? usualHours.lowerBound, usualHours.lowerBound)
        let last = max(rows.keys.max() ?? usualHours.upperBound, usualHours.upperBound)
        let now = context.zone.localTime(at: context.now)
        for hour in first...last {
            let isNow = now.day == agenda.day && now.hour == hour
            let label = Cells.right("\(hour):00", to: 5) + (isNow ? " >" : "  ")
            guard let entries = rows[hour] else {
                Screen.line(Screen.faint(label.trimmedAtEnd))
                continue
            }
            for (index, entry) in entries.enumerated() {
                put(index == 0 ? label + " " : "        ", "\(entry.time)  \(entry.text)")
            }
        }
        if (agenda.wholeDay + agenda.entries.map(\.item)).contains(where: isToCome) {
            Screen.line(Screen.faint(markWords))
        }
    }

    /// Stands below a table with an occurrence that nobody has made yet.
    static let markWords = "~ comes once the one before it is done"

    private static func put(_ label: String, _ text: String) {
        let room = Screen.width.map { $0 - Cells.count(label) } ?? .max
        Screen.line(label + Cells.cut(text, to: room))
    }

    private static func text(_ entry: DayAgenda.Entry, _ context: CommandContext) -> String {
        let title = mark(entry.item) + entry.item.shownTitle
        switch entry.kind {
        case .due: return "due: \(title)"
        case .planned: return "planned: \(title)"
        case .work:
            let length = WorkInterval.clock(max((entry.end ?? context.now).minus(entry.start), 0))
            return "worked \(length)\(entry.end == nil ? ", still running" : ""): \(title)"
        }
    }

    private static func mark(_ item: ToDoItem) -> String {
        item.status == .completed ? "x " : isToCome(item) ? "~ " : ""
    }

    /// An occurrence that nobody has made yet has no id.
    private static func isToCome(_ item: ToDoItem) -> Bool { item.identifier == nil }

    private static func clock(_ time: LocalTime) -> String {
        let minute = time.minute
        return Cells.right("\(time.hour):\(minute < 10 ? "0" : "")\(minute)", to: 5)
    }

    private static func json(_ agenda: DayAgenda) -> JSONValue {
        let items = agenda.wholeDay.map { JSONLinesFormat.value($0) }
        let entries = agenda.entries.map { entry in
            var members: [(String, JSONValue)] = [
                ("kind", JSONOutput.text(entry.kind.rawValue)),
                ("start", JSONOutput.text(TimestampText.rfc3339(entry.start))),
            ]
            if let end = entry.end {
                members.append(("end", JSONOutput.text(TimestampText.rfc3339(end))))
            }
            members.append(("item", JSONLinesFormat.value(entry.item)))
            return JSONOutput.object(members)
        }
        return JSONOutput.object([
            ("day", JSONOutput.text(TimestampText.day(agenda.day))),
            ("wholeDay", .array(items)),
            ("entries", .array(entries)),
        ])
    }
}

extension String {
    /// The text without spaces at its end.
    var trimmedAtEnd: String {
        String(reversed().drop(while: { $0 == " " }).reversed())
    }
}
