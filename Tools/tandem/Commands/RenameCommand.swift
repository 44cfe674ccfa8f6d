import Devices
import Terminal
import ToDo

/// Gives this device another name.
enum RenameCommand: Command {
    static let name = "rename"
    static let summary = "Rename this device"
    static let help = """
          tandem rename kitchen

        A device can only rename itself: run this on that device.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let name = arguments.words.joined(separator: " ")
        _ = try DeviceName.check(name, "\(AdvisedLine.program) rename kitchen")
        let context = try CommandContext.open(arguments)
        // A name that starts with a device's name suggests that the user means another command, or
        // that device.
        if arguments.words.count > 1, let old = arguments.words.first,
            try context.device.directory().devices.contains(where: { $0.name == old })
        {
            let rest = arguments.words.dropFirst().joined(separator: " ").shellQuoted
            throw CommandFailure(
                .usage,
                "say the new name alone, on the device itself: tandem rename \(rest); a name of several "
                    + "words that begins like that goes within quotes")
        }
        try context.device.rename(to: name)
        if arguments.has("json") {
            Screen.line(JSONOutput.object([("device", JSONOutput.text(name))]))
        } else {
            Screen.line(
                "This device is \(name.shownInLine) from now on; the others hear it with the next sync"
            )
        }
        return .ok
    }
}
