// Each command has a file of its own.

import Devices
import Terminal

/// Ends a pause of the daemon.
enum ResumeCommand: Command {
    static let name = "resume"
    static let summary = "End a pause of the daemon"
    static let help = """
          tandem resume
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        try DeviceFolder(CommandContext.folder(arguments)).resumeSync()
        if !arguments.has("json") { Screen.line("The daemon syncs again") }
        return .ok
    }
}
