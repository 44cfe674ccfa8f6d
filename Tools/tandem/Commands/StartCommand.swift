import Terminal
import ToDo

/// Starts the timer.
enum StartCommand: Command {
    static let name = "start"
    static let summary = "Start the timer on a to-do and stop any other"
    static let help = """
          tandem start 3
          tandem start 3 --at 9:30
          tandem stop
          tandem times

        One timer runs at a time. If two devices each start one while apart, both are
        shown until you stop. The earlier one then ends when the later one began.

        --at TIME         the start: 9:30, -20min, "yesterday 17:00"
        """
    static let values = ["at"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        if arguments.words.isEmpty {
            throw CommandFailure(.usage, "say which one: \(AdvisedLine.program) start 3")
        }
        let stored = try context.findOneAlive(
            arguments.words, as: "one timer runs at a time", "\(AdvisedLine.program) start ")
        let time = try TimeOption.read(arguments, "at", context)
        if let time, time > context.now {
            throw CommandFailure(.usage, "--at lies ahead; a timer starts now or has started")
        }
        let outcome = try context.todos.start(stored.id, at: time)
        if !arguments.has("json") {
            for timer in outcome.stopped {
                Screen.line("Stopped: \(timer.item.shownTitle)")
            }
        }
        try report([stored], arguments, context) { _ in
            outcome.isNew ? "Started" : "Was running already"
        }
        return .ok
    }
}
