import Devices
import Terminal

/// Gives this device another name.
enum RenameCommand: Command {
    static let name = "rename"
    static let summary = "gives this device another name"
    static let help = """
          tandem rename kitchen

        Only the device itself does so: type it there, with the new name alone.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let name = arguments.words.joined(separator: " ")
        _ = try DeviceName.check(name, "tandem rename kitchen")
        let place = try Workplace.open(arguments)
        // Who says the old name, too, has another command in mind, or another device.
        if arguments.words.count > 1, let old = arguments.words.first,
            try place.device.directory().devices.contains(where: { $0.name == old })
        {
            let rest = arguments.words.dropFirst().joined(separator: " ").shellQuoted
            throw CommandFailure(
                .usage,
                "say the new name alone, on the device itself: tandem rename \(rest); a name of several "
                    + "words that begins like that goes within quotes")
        }
        try place.device.rename(to: name)
        if arguments.has("json") {
            Terminal.line(JSONOutput.object([("device", JSONOutput.text(name))]))
        } else {
            Terminal.line(
                "This device is \(name.shownInLine) from now on; the others hear it with the next sync"
            )
        }
        return .ok
    }
}
