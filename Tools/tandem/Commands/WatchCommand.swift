import Glibc
import JSON
import Terminal
import ToDo

/// Prints changes as they come.
enum WatchCommand: Command {
    static let name = "watch"
    static let summary = "Print changes of this and other devices as they happen"
    static let help = """
          tandem watch
          tandem watch project:Home
          tandem watch --json
          tandem watch --count 1

        Runs until Ctrl-C. With --json, each change is one object on a line: number (0,
        1, 2, … without gaps), kind (begin, then insert, update, delete), time, changes
        (with device and values) and the to-do. A to-do that no longer matches the
        filter is a delete. Edits of one to-do within a tenth of a second are one
        change. The context that holds at the start narrows it (tandem help context);
        TANDEM_CONTEXT=none tandem watch shows everything.

        --count N         exit after N changes
        """
    static let values = ["count"]

    /// How often it looks; milliseconds.
    private static let intervalMilliseconds: UInt32 = 100

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let (filter, chosen) = try context.narrowedFilter(arguments.words)
        let countMax = try Limit.read(arguments["count"], standard: nil)
        var feed = try ToDoFeed(filter, of: context.todos)
        if let chosen { Screen.error("tandem: \(chosen.remark)\n") }
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("number", .number("0")), ("kind", JSONOutput.text("begin")),
                    ("time", JSONOutput.text(TimestampText.rfc3339(SystemTime.now))),
                ]))
            Screen.flush()
        } else if Screen.showsProgress {
            Screen.error("watching; Ctrl-C ends it\n")
        }
        while true {
            for event in try feed.next(now: SystemTime.now) {
                if arguments.has("json") {
                    Screen.line(try event.json(context))
                } else {
                    Screen.line(try event.line(context))
                }
                if event.number == countMax { return .ok }
            }
            Screen.flush()
            usleep(Self.intervalMilliseconds * 1_000)
        }
    }
}
