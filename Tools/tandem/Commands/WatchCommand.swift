import Devices
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
        TANDEM_CONTEXT=none tandem watch shows everything. A store that cannot be
        written is looked at once a second for what others change there.

        --count N         exit after N changes
        """
    static let values = ["count"]

    /// How often it looks; milliseconds.
    private static let intervalMilliseconds: UInt32 = 100

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context: CommandContext
        do {
            context = try CommandContext.openToWrite(arguments)
        } catch let fault as StoreFault {
            guard case .readOnly = fault else { throw fault }
            return try watchCopies(arguments, as: fault)
        }
        var watch = try begin(arguments, context)
        tellBeginning(arguments)
        while true {
            if try watch.tell(context, arguments) { return .ok }
            Screen.flush()
            usleep(intervalMilliseconds * 1_000)
        }
    }

    /// Watches a store that cannot be written, which others may change.
    private static func watchCopies(
        _ arguments: Arguments, as fault: StoreFault
    ) throws -> ExitCode {
        var begun: Watch?
        var store = try CopiedStore(arguments, as: fault) { begun = try begin(arguments, $0) }
        guard var watch = begun else { return .ok }
        Screen.error(
            "tandem: looks once a second whether another program has changed the store\n")
        tellBeginning(arguments)
        while true {
            var isOver = false
            try store.look { context in
                watch.feed.follow(context.todos)
                isOver = try watch.tell(context, arguments)
            }
            // Nothing is written while there is a copy: the end of a reader ends this program.
            Screen.flush()
            if isOver { return .ok }
            usleep(CopiedStore.intervalMilliseconds * 1_000)
        }
    }

    /// A list that is watched.
    private struct Watch {
        /// Its changes.
        var feed: ToDoFeed
        /// After how many of them the watch ends; nil for none.
        let countMax: Int?

        /// Prints the changes since the last call.
        ///
        /// - Returns: whether it was the last one to be printed.
        mutating func tell(_ context: CommandContext, _ arguments: Arguments) throws -> Bool {
            for event in try feed.next(now: SystemTime.now) {
                if arguments.has("json") {
                    Screen.line(try event.json(context))
                } else {
                    Screen.line(try event.line(context))
                }
                if event.number == countMax { return true }
            }
            return false
        }
    }

    private static func begin(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> Watch {
        let (filter, chosen) = try context.narrowedFilter(arguments.words)
        let countMax = try Limit.read(arguments["count"], standard: nil)
        let feed = try ToDoFeed(filter, of: context.todos)
        if let chosen { Screen.error("tandem: \(chosen.remark)\n") }
        return Watch(feed: feed, countMax: countMax)
    }

    private static func tellBeginning(_ arguments: Arguments) {
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
    }
}
