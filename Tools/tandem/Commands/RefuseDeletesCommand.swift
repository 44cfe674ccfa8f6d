import Devices
import JSON
import Terminal
import ToDo

/// Says that deletes on a great scale, which this device holds, are not meant.
enum RefuseDeletesCommand: Command {
    static let name = "refuse-deletes"
    static let summary = "Refuse deletes that were held, and keep the to-dos"
    static let help = """
          tandem refuse-deletes
          tandem refuse-deletes phone

        Keeps the to-dos that held deletes would delete (tandem help accept-deletes).
        The refusal covers the deletes of the same devices until a sync has brought
        all that were held, by whichever device or relay they come. Devices that took
        them get the to-dos back with their next sync. If the device was revoked, its
        later deletes are refused too. Without DEVICE, the command refuses all held
        deletes.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let held = try context.heldDeletes(arguments)
        for item in held where !arguments.has("json") {
            Screen.line(item.words)
            if let detail = try item.detailWords(context.todos) { Screen.line("  \(detail)") }
        }
        try CommandContext.confirm("Keep these to-dos?", arguments)
        try DeleteHold.refuse(held, on: context.device)
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([("refused", .array(try held.map { try $0.json(context.todos) }))]
                ))
        } else {
            Screen.line("Refused: the to-dos stay, and come back where they were deleted.")
        }
        return .ok
    }
}

extension CommandContext {
    /// The held deletes that a command names by a device or relay; all without one.
    func heldDeletes(_ arguments: Arguments) throws -> [DeleteHold] {
        guard arguments.words.count < 2 else {
            throw CommandFailure(.usage, "say one device or relay, or none for all")
        }
        let held =
            try arguments.words.first.map { try DeleteHold.find($0, of: device) }
            ?? DeleteHold.all(of: device)
        guard !held.isEmpty else {
            throw CommandFailure(
                .nothing,
                arguments.words.first.map { "no deletes of '\($0)' are held here" }
                    ?? "no deletes are held here")
        }
        return held
    }
}
