import JSON
import Terminal
import ToDo

/// Shows a month.
enum CalendarCommand: Command {
    static let name = "calendar"
    static let summary = "Show a month and what is due on its days"
    static let help = """
          tandem calendar
          tandem calendar 2026-12
          tandem calendar next month

        Each day lists as many titles as fit. +2 stands for two more, x for done.
        """

    /// The titles that a day has room for.
    private static let titleCountMax = 3

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let day = try day(arguments.words.joined(separator: " "), context)
        let first = CivilDate(day: day).startOfMonth()
        let days = first.day..<first.startOfMonth(later: 1).day
        var byDay: [Int: [ToDoItem]] = [:]
        for item in try context.todos.items(around: days) where item.status != .cancelled {
            guard let due = item.due?.day(in: context.zone), days.contains(due) else { continue }
            byDay[due, default: []].append(item)
        }
        if arguments.has("json") {
            let lines = days.map { day in
                let items = (byDay[day] ?? []).map { JSONLinesFormat.value($0) }
                return JSONOutput.object([
                    ("day", JSONOutput.text(TimestampText.day(day))),
                    ("items", .array(items)),
                ])
            }
            Screen.line(JSONOutput.array(lines))
            return .ok
        }
        write(days, byDay, context)
        return .ok
    }

    private static func day(_ words: String, _ context: CommandContext) throws -> Int {
        let today = CivilDate(day: context.calendar.today)
        switch words {
        case "", "this month": return today.day
        case "next month", "next": return today.startOfMonth(later: 1).day
        case "last month", "last": return today.startOfMonth(later: -1).day
        default: return try TimeOption.day(words, context) ?? today.day
        }
    }

    private static func write(
        _ days: Range<Int>, _ byDay: [Int: [ToDoItem]], _ context: CommandContext
    ) {
        let date = CivilDate(day: days.lowerBound)
        let month = DatePhrase.absolute(.day(Int32(clamping: days.lowerBound)), zone: context.zone)
            .split(separator: " ")[2]
        Screen.line(Screen.bold("\(month) \(date.year)"))
        let width = ((Screen.width ?? 80) - 6) / 7
        let start = context.calendar.week(0, around: days.lowerBound).lowerBound
        let names = (start..<start + 7).map { Weekday(day: $0).shortName }
        Screen.line(row(names, width, isFaint: false))
        var week = start
        while week < days.upperBound {
            let cells = (week..<week + 7).map { day in
                days.contains(day) ? cell(day, byDay[day] ?? [], width, context) : []
            }
            for line in 0..<(cells.map(\.count).max() ?? 0) {
                let texts = cells.map { $0.indices.contains(line) ? $0[line] : "" }
                Screen.line(row(texts, width, isFaint: line > 0))
            }
            week += 7
        }
    }

    private static func cell(
        _ day: Int, _ items: [ToDoItem], _ width: Int, _ context: CommandContext
    ) -> [String] {
        var head = "\(CivilDate(day: day).dayOfMonth)"
        if day == context.calendar.today { head = "[\(head)]" }
        let shown = items.count > titleCountMax ? titleCountMax - 1 : items.count
        var lines = items.prefix(shown).map { item in
            Cells.cut((item.isComplete ? "x " : "") + item.shownTitle, to: width)
        }
        if items.count > shown { lines.append("+\(items.count - shown)") }
        return [head] + lines
    }

    private static func row(_ texts: [String], _ width: Int, isFaint: Bool) -> ShownText {
        let last = texts.lastIndex { !$0.isEmpty } ?? 0
        let padded = texts[...last].enumerated().map { index, text in
            index == last ? text : Cells.padded(text, to: width)
        }
        let line = padded.joined(separator: " ")
        return isFaint ? Screen.faint(line) : ShownText(line)
    }
}
