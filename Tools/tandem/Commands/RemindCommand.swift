import Devices
import JSON
import Terminal
import ToDo

/// Lists reminders, and tells those that are due.
enum RemindCommand: Command {
    static let name = "remind"
    static let summary = "List reminders to come; --run tells those due"
    static let help = """
          tandem add Call Anna remind:"tomorrow 9am"
          tandem add Pay the rent due:fri remind:-1d,due
          tandem edit 3 remind:"2h before scheduled"
          tandem edit 3 remind:
          tandem remind
          tandem remind --run

        `remind:` takes a time, or how long before or after due: or scheduled:, and
        several parted by commas. A whole day means 9:00: with due:fri, due is Friday
        9:00 and -1d Thursday 9:00; -2h counts from midnight: Thursday 22:00. A
        repeating to-do hands its reminders on to the next; a time moves along then, and
        when its due: is changed.

        `tandem daemon` tells reminders through the desktop's notifications, on the
        device that comes first: one that has seen, within 10 seconds, that another told
        it stays silent; devices that cannot reach each other may both tell. Each tells
        a reminder at most once. One that was missed is told later, with its time, up to
        7 days; one whose program fails is tried again, up to 12 times within 9 hours.
        More than 5 at once are told as one. To-dos that are done or deleted are silent.
        Where no daemon runs, let cron run `tandem remind --run`.

        --limit N         list at most N reminders (default 500, 0 for no limit)
        --run             tell the reminders that are due
        --notify COMMAND  the program that tells, with its words; it gets `--`, the
                          title and the text as its last words (default:
                          TANDEM_NOTIFY, else notify-send)
        """
    static let flags = ["run"]
    static let values = ["notify", "limit"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        if arguments.has("run") { return try tell(CommandContext.open(arguments), arguments) }
        let context = try CommandContext.openToRead(arguments)
        let limit = try Limit.read(arguments["limit"], standard: context.settings.listLimit)
        // One more than is shown tells whether there are more.
        var open = try context.todos.openReminders(limit: limit.map { $0 + 1 })
        let hasMore = limit.map { open.count > $0 } ?? false
        if let limit, hasMore { open.removeSubrange(limit...) }
        if arguments.has("json") {
            let lines = open.map { found in
                JSONOutput.object([
                    ("id", JSONOutput.text(found.key.id.uuidText)),
                    ("title", JSONOutput.text(found.item.title)),
                    ("remind", JSONOutput.text(found.reminder.text)),
                    ("time", JSONOutput.text(TimestampText.rfc3339(found.time))),
                    ("missed", .bool(found.time <= context.now)),
                ])
            }
            Screen.line(JSONOutput.array(lines))
            return .ok
        }
        if open.isEmpty {
            Screen.paragraph(
                "No reminders to come; to add one: \(AdvisedLine.program) edit 3 remind:-30m",
                hanging: 2)
        }
        // In one go, as each showing of numbers is a transaction; a to-do may have several reminders.
        var seen: Set<RecordID> = []
        let records = open.filter { seen.insert($0.key.id).inserted }.map(\.stored)
        let names = Dictionary(
            uniqueKeysWithValues: zip(records.map(\.id), context.naming.names(of: records)))
        let times = times(of: open.map(\.time), context)
        let nameWidth = names.values.reduce(0) { max($0, Cells.count($1)) }
        let timeWidth = times.reduce(0) { max($0, Cells.count($1)) }
        for (found, time) in zip(open, times) {
            var words = found.item.shownTitle
            if case .from = found.reminder.trigger {
                words += " (\(ReminderWords.describe(found.reminder, zone: context.zone)))"
            }
            let name = Cells.right(names[found.key.id] ?? "", to: nameWidth)
            Screen.paragraph(
                words, label: "\(name)  \(Cells.padded(time, to: timeWidth))  ",
                hanging: nameWidth + 2)
        }
        if hasMore {
            let count = EditMessages.count(open.count, "reminder")
            Screen.line(Screen.faint("\(count) shown, more with --limit"))
        }
        return .ok
    }

    /// The fewest cells beside the times for a title and what its reminder is counted from.
    private static let titleWidthMin = 30

    /// The times, with how far each is where the screen has room for that.
    private static func times(of times: [Int64], _ context: CommandContext) -> [String] {
        func column(_ words: (Moment) -> String) -> [String] { times.map { words(.instant($0)) } }
        let (now, zone) = (context.now, context.zone)
        let long = column { DatePhrase.describe($0, now: now, zone: zone) }
        guard let screen = Screen.width else { return long }
        func fits(_ column: [String]) -> Bool {
            column.allSatisfy { Cells.count($0) + titleWidthMin <= screen }
        }
        if fits(long) { return long }
        let middle = column { DatePhrase.absolute($0, zone: zone) }
        if fits(middle) { return middle }
        return column { DatePhrase.listed($0, now: now, zone: zone, width: .short) }
    }

    private static func tell(
        _ context: CommandContext, _ arguments: Arguments
    ) throws -> ExitCode {
        guard let notifier = try ReminderOutput.notifier(arguments) else {
            throw CommandFailure(.usage, "--run with --notify none would tell nothing")
        }
        guard notifier.isThere else {
            throw CommandFailure(
                .unavailable,
                "there is no \((notifier.command.first ?? "").shownInLine) here; install it, or name another program: "
                    + "\(AdvisedLine.program) remind --run --notify COMMAND")
        }
        let source = ToDoNotices(context.device, waits: false)
        let (told, failed) = try notifier.tellAll(of: source)
        for found in told { Screen.line("Told: \(found.item.shownTitle)") }
        guard let first = failed.first else { return .ok }
        throw CommandFailure(
            .unavailable,
            "\(EditMessages.count(failed.count, "reminder")) could not be told through "
                + "\((notifier.command.first ?? "").shownInLine); what it showed is not told again, what it did not is tried "
                + "again later: \(first.item.shownTitle)"
        )
    }
}
