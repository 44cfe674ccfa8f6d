import Devices
import JSON
import Terminal
import ToDo

/// Says that deletes on a great scale, which this device holds, are meant.
enum AcceptDeletesCommand: Command {
    static let name = "accept-deletes"
    static let summary = "Confirm deletes that were held for you"
    static let help = """
          tandem accept-deletes
          tandem accept-deletes phone

        A sync that would delete more than half of your to-dos, and more than 20, holds
        these deletes until you confirm them. Your own changes are still sent. Confirm
        here, or answer the question of `tandem sync`.
        Without DEVICE, the command lists all held deletes and accepts them. It covers
        the number shown plus a quarter, for one day. Deletes beyond that are held
        again.

        To refuse the deletes: tandem refuse-deletes. To revert them after you accepted
        them: tandem restore --from latest
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let held = try context.heldDeletes(arguments)
        for item in held where !arguments.has("json") {
            Screen.line(item.words)
            if let detail = try item.detailWords(context.todos) { Screen.line("  \(detail)") }
            if item.deletes.takenCount > 0 { Screen.line("  \(item.takenWords)") }
        }
        try CommandContext.confirm("Accept these deletes?", arguments)
        try DeleteHold.accept(held, on: context.device)
        if arguments.has("json") {
            Screen.line(
                JSONOutput.object([
                    ("accepted", .array(try held.map { try $0.json(context.todos) }))
                ]))
        } else {
            Screen.line("Accepted: the next sync takes them; a daemon begins at once.")
            Screen.line("  the to-dos as they were: \(held[0].snapshotWords)")
        }
        return .ok
    }
}
