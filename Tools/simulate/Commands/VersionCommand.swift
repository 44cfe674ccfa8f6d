import JSON
import Simulation
import Storage

/// Shows the version.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "Show the version"
    static let help = "  simulate version"

    static func run(_ arguments: Arguments) throws -> Int32 {
        try arguments.refuseWords()
        if arguments.has("json") {
            Terminal.line(JSONValue.named([("simulate", .text(CommandTable.version))]))
        } else {
            Terminal.line("simulate \(CommandTable.version)")
        }
        return ExitCode.ok
    }
}
