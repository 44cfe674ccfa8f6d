import JSON
import Terminal
import ToDo

/// Shows how the number of pending to-dos rises and falls.
enum BurndownCommand: Command {
    static let name = "burndown"
    static let summary = "Show how many were pending, added and done over time"
    static let help = """
          tandem burndown
          tandem burndown --by month project:Work
          tandem burndown --by day --count 60 --svg burndown.svg

        Each line is a week, the last one this week. "pending" counts the to-dos that
        were pending at its end. "empty" is the day on which none is left if all goes
        on as it did. Deleted to-dos do not count.

        --by WORD         day, week (the default) or month
        --count N         show N lines, at most \(Burndown.rowCountMax)
        --svg FILE        draw a picture instead; - for standard output
        """
    static let values = ["by", "count", "svg"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let period = try period(arguments["by"])
        let count = try count(arguments["count"], period)
        let (filter, chosen) = try context.narrowedFilter(arguments.words)
        let burndown = Burndown(
            try context.todos.lives(filter), by: period, count: count, in: context.calendar)
        let chart = BarChart(burndown)
        if try ChartOutput.save(chart, .columns, arguments) { return .ok }
        if arguments.has("json") {
            Screen.line(json(burndown))
        } else {
            write(burndown, chart, context)
        }
        chosen?.tell(arguments)
        return .ok
    }

    private static func period(_ word: String?) throws -> Burndown.Period {
        guard let word else { return .week }
        guard let period = Burndown.Period(rawValue: word) else {
            let words = Burndown.Period.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "--by takes one of \(words), not '\(word.shownInLine)'")
        }
        return period
    }

    private static func count(_ word: String?, _ period: Burndown.Period) throws -> Int {
        guard let word else { return period.standardCount }
        guard let count = Int(word), (1...Burndown.rowCountMax).contains(count) else {
            throw CommandFailure(
                .usage,
                "--count takes a number from 1 to \(Burndown.rowCountMax), not '\(word.shownInLine)'"
            )
        }
        return count
    }

    private static func write(
        _ burndown: Burndown, _ chart: BarChart, _ context: CommandContext
    ) {
        func cells(_ value: KeyPath<Burndown.Row, Int>) -> [String] {
            burndown.rows.map { "\($0[keyPath: value])" }
        }
        var columns = [
            ("pending", cells(\.pending)), ("added", cells(\.added)), ("done", cells(\.completed)),
        ]
        if burndown.rows.contains(where: { $0.cancelled > 0 }) {
            columns.append(("cancelled", cells(\.cancelled)))
        }
        ChartOutput.write(
            chart, names: (burndown.period.rawValue, chart.bars.map(\.label)), columns: columns)
        guard let last = burndown.rows.last, last.pending > 0 else { return }
        if let day = burndown.emptyDay {
            let moment = Moment.day(Int32(clamping: day))
            Screen.line(
                "empty: \(DatePhrase.describe(moment, now: context.now, zone: context.zone))")
        } else {
            Screen.paragraph("empty: never, as no more was finished than added", hanging: 7)
        }
    }

    private static func json(_ burndown: Burndown) -> JSONValue {
        let rows = burndown.rows.map { row in
            JSONOutput.object([
                ("from", JSONOutput.text(TimestampText.day(row.days.lowerBound))),
                ("to", JSONOutput.text(TimestampText.day(row.days.upperBound - 1))),
                ("pending", .number(row.pending)), ("added", .number(row.added)),
                ("completed", .number(row.completed)), ("cancelled", .number(row.cancelled)),
            ])
        }
        let empty = burndown.emptyDay.map { JSONOutput.text(TimestampText.day($0)) }
        return JSONOutput.object([
            ("by", JSONOutput.text(burndown.period.rawValue)), ("rows", .array(rows)),
            ("empty", empty ?? .null),
        ])
    }
}
