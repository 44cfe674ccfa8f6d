import Devices
import Terminal
import ToDo

/// Has the daemon leave everybody alone for a while.
enum PauseCommand: Command {
    static let name = "pause"
    static let summary = "Stop the daemon's syncing for a while"
    static let help = """
          tandem pause 4h
          tandem pause --for 15m
          tandem resume

        --for TIME        how long: 15m (minutes), 4h, 2d (default 1h, at most 7 days)
        """
    static let values = ["for"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let word = arguments.words.isEmpty ? nil : arguments.words.joined(separator: " ")
        if let word, arguments["for"] != nil {
            throw CommandFailure(.usage, "'\(word.shownInLine)' is not expected beside --for")
        }
        let seconds = try TimeSpan.read(
            word ?? arguments["for"] ?? "1h", max: Daemon.pauseSecondsMax,
            taker: word == nil ? "--for" : "pause")
        try DeviceFolder(CommandContext.folder(arguments)).pauseSync(seconds: seconds)
        if !arguments.has("json") {
            let zone = try CommandContext.systemZone()
            let now = SystemEnvironment.wallMilliseconds()
            let end = DatePhrase.absolute(.instant(now + Int64(seconds) * 1000), zone: zone)
            Screen.line(
                "Paused for \(TimeSpan.words(seconds)), until \(end); sooner: \(AdvisedLine.program) resume"
            )
        }
        return .ok
    }
}
