import Storage

/// Gives this device another name.
enum RenameCommand: Command {
    static let name = "rename"
    static let summary = "gives this device another name"
    static let help = """
          tandem rename kitchen
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let name = arguments.words.joined(separator: " ")
        guard !name.isEmpty, name.utf8.count <= 200 else {
            throw CommandFailure(.usage, "a device name has 1 to 200 bytes: tandem rename kitchen")
        }
        let place = try Workplace.open(arguments)
        try place.store.edit { transaction throws(StoreFault) in try transaction.nameDevice(name) }
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
