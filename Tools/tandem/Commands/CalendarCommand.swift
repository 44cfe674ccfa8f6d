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

        Each day lists as many titles as fit. +2 stands for two more, x for done, ~ for
        the next times of a repeating to-do, as long as it is done on its days.
        """

    /// The titles that a day has room for.
    private static let titleCountMax = 3

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let day = try day(arguments.words.joined(separator: " "), context)
        let first = CivilDate(day: day).startOfMonth()
        let days = first.day..<first.startOfMonth(later: 1).day
        var byDay: [Int: [ToDoItem]] = [:]
        let chosen = try context.chosenContext()
        let lists = try context.todos.lists(of: days, taking: chosen?.filter)
        for item in lists.items where item.status != .cancelled {
            guard let due = item.due?.day(in: context.zone), days.contains(due) else { continue }
            byDay[due, default: []].append(item)
        }
        var toCome: [Int: [ToDoItem]] = [:]
        for item in lists.toCome {
            guard let due = item.due?.day(in: context.zone) else { continue }
            toCome[due, default: []].append(item)
        }
        if arguments.has("json") {
            let lines = days.map { day in
                let items = (byDay[day] ?? []).map { JSONLinesFormat.value($0) }
                let later = (toCome[day] ?? []).map { JSONLinesFormat.value($0) }
                return JSONOutput.object([
                    ("day", JSONOutput.text(TimestampText.day(day))),
                    ("items", .array(items)), ("toCome", .array(later)),
                ])
            }
            Screen.line(JSONOutput.array(lines))
            chosen?.tell(arguments)
            return .ok
        }
        write(days, days.map { (byDay[$0] ?? [], toCome[$0] ?? []) }, context)
        chosen?.tell(arguments)
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
        _ days: Range<Int>, _ daily: [(items: [ToDoItem], toCome: [ToDoItem])],
        _ context: CommandContext
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
                days.contains(day)
                    ? cell(
                        day, titles(daily[day - days.lowerBound], width, context), width, context)
                    : []
            }
            for line in 0..<(cells.map(\.count).max() ?? 0) {
                let texts = cells.map { $0.indices.contains(line) ? $0[line] : "" }
                Screen.line(row(texts, width, isFaint: line > 0))
            }
            week += 7
        }
        if daily.contains(where: { !$0.toCome.isEmpty }) {
            Screen.line(Screen.faint(AgendaCommand.markWords))
        }
    }

    /// The least width of a day in which a clock time stands before a title: a narrower one has the title alone.
    private static let clockWidth = 14

    private static func titles(
        _ day: (items: [ToDoItem], toCome: [ToDoItem]), _ width: Int, _ context: CommandContext
    ) -> [String] {
        func title(_ item: ToDoItem) -> String {
            guard width >= clockWidth, case .instant(let instant)? = item.due else {
                return item.shownTitle
            }
            return DatePhrase.clock(context.zone.localTime(at: instant)) + " " + item.shownTitle
        }
        return day.items.map { ($0.isComplete ? "x " : "") + title($0) }
            + day.toCome.map { "~ " + title($0) }
    }

    private static func cell(
        _ day: Int, _ titles: [String], _ width: Int, _ context: CommandContext
    ) -> [String] {
        var head = "\(CivilDate(day: day).dayOfMonth)"
        if day == context.calendar.today { head = "[\(head)]" }
        let shown = titles.count > titleCountMax ? titleCountMax - 1 : titles.count
        var lines = titles.prefix(shown).map { Cells.cut($0, to: width) }
        if titles.count > shown { lines.append("+\(titles.count - shown)") }
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
