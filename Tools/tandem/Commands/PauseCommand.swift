import Runtime
import ToDo

/// Has the daemon leave everybody alone for a while.
enum PauseCommand: Command {
    static let name = "pause"
    static let summary = "has the daemon stay offline for a while"
    static let help = """
          tandem pause --for 4h
          tandem resume

        --for TIME        how long: 15m, 4h, 2d (default 1h, at most 7 days)
        """
    static let values = ["for"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let seconds = try TimeSpan.read(
            arguments["for"] ?? "1h", max: Daemon.pauseSecondsMax, option: "for")
        try DaemonStatus.tell("pause \(seconds)", in: Workplace.folder(arguments))
        if !arguments.has("json") {
            Terminal.line("Paused for \(TimeSpan.words(seconds)); sooner: tandem resume")
        }
        return .ok
    }
}
