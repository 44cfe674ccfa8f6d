import Pairing
import Security
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
        _ = try DeviceName.check(name, "tandem rename kitchen")
        let place = try Workplace.open(arguments)
        if let twin = try DeviceName.twin(of: name, place) {
            let short = twin.fingerprint.map { " (\($0.short))" } ?? ""
            throw CommandFailure(
                .refused,
                "another device of this space is called \(twin.name.shownInLine)\(short) already; take "
                    + "another name, or rename that one first (on it: tandem rename NAME)")
        }
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
