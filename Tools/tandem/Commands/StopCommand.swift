import Terminal
import ToDo

/// Stops the timer.
enum StopCommand: Command {
    static let name = "stop"
    static let summary = "Stop the timer"
    static let help = """
          tandem stop
          tandem stop --at 17:00

        --at TIME         the end: 17:00, -20min, "yesterday 17:00"
        """
    static let values = ["at"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.open(arguments)
        let time = try TimeOption.read(arguments, "at", context) ?? context.now
        if let timer = try context.todos.timers().first, timer.start > time {
            throw CommandFailure(
                .usage, "'\(timer.item.shownTitle)' was started later than that")
        }
        let stopped = try context.todos.stop(at: time)
        if arguments.has("json") {
            let stored = try stopped.compactMap { try context.todos.stored($0.id) }
            Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
            return stopped.isEmpty ? .nothing : .ok
        }
        if stopped.isEmpty {
            Screen.line("No timer is running: \(AdvisedLine.program) start 3")
            return .nothing
        }
        var end = time
        for timer in stopped {
            let length = WorkInterval.clock(max(end.minus(timer.start), 0))
            Screen.line("Stopped: \(timer.item.shownTitle), after \(length)")
            end = min(end, timer.start)
        }
        return .ok
    }
}
