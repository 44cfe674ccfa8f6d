import Devices
import JSON
import Terminal
import ToDo

/// Joins the space of another device with its code.
enum JoinCommand: Command {
    static let name = "join"
    static let summary = "Join the space of another device with its code"
    static let help = """
          tandem join
          tandem join example.org:7718/04Z9-…
          tandem join - < FILE

        `tandem invite` shows the code on the other device, and waits. Without CODE you
        are asked for it; `-` reads it from the standard input.
        This device then shows six digits, which you type on the other device: by them
        it knows that nobody else came with the code.
        To-dos that this device has already are kept, and sync to the other devices.

        --name NAME       this device's name for the other devices (default: the name
                          of the store that is here, else the host name)
        --merge           do not ask before a store that is shared with other devices
                          moves to the new space
        """
    static let values = ["name"]
    static let flags = ["merge"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let code = try code(arguments)
        let joining = DeviceJoining(
            in: try CommandContext.folder(arguments), schema: ToDoSchema.collections,
            name: try DeviceName.read(arguments))
        let outcome = try joining.join(
            code, renames: arguments["name"] != nil, shown: { show($0, arguments) },
            late: {
                Screen.error(
                    "tandem: the other device does not answer yet; `tandem invite` has to wait there "
                        + "all the time (Ctrl-C ends this)\n")
            },
            prepare: { device, sharing in
                try CommandContext.tellSuspicion(device)
                // Nobody could be asked once it is known which space the code is of.
                if !CommandContext.canConfirm(arguments) { try ask(sharing, arguments) }
            }, check: { _, leaving in try ask(leaving, arguments) })
        for failure in outcome.failures where outcome.syncedCount > 0 {
            Screen.error("tandem: \(CommandFailure(failure).message)\n")
        }
        if outcome.syncedCount == 0 {
            let why = outcome.failures.first.map { CommandFailure($0) }
            throw CommandFailure(
                why?.code ?? .unavailable,
                "this device has the keys of the space now, but could not sync yet: "
                    + "\(why?.message ?? "nobody was reached"); next: \(AdvisedLine.program) sync")
        }
        try tell(outcome, arguments)
        FolderHint.tell(of: outcome.device)
        return outcome.isIncomplete || outcome.unreadableCount > 0 ? .incomplete : .ok
    }

    /// Shows the digits, beside the results.
    private static func show(_ digits: String, _ arguments: Arguments) {
        if arguments.has("json") {
            Screen.line(JSONOutput.object([("digits", JSONOutput.text(digits))]))
            return Screen.flush()
        }
        Screen.error(
            "Type these digits on the other device: \(digits.prefix(3)) \(digits.suffix(3))\n")
    }

    private static func code(_ arguments: Arguments) throws -> PairingCode {
        let canAsk = Screen.canAsk && !arguments.has("no-input")
        switch arguments.words {
        case ["-"] where !canAsk: return try CodePrompt.read()
        case [] where !canAsk:
            throw CommandFailure(
                .usage,
                """
                say the code that `tandem invite` shows on the other device: \(AdvisedLine.program) join CODE, or from a \
                file or pipe: \(AdvisedLine.program) join - < FILE
                """)
        case ["-"], []: return try CodePrompt.ask()
        case let words: return try PairingCode(parsing: words.joined(separator: " "))
        }
    }

    /// A store that belongs elsewhere is not moved without a word.
    private static func ask(_ leaving: [DeviceDirectory.Device], _ arguments: Arguments) throws {
        if leaving.isEmpty || arguments.has("merge") { return }
        let names = leaving.prefix(4).map { $0.name.shownInLine }.joined(separator: ", ")
        let more = leaving.count > 4 ? " and others" : ""
        try CommandContext.confirm(
            "This store belongs to a space with \(names)\(more) already. Joining takes it and all its "
                + "to-dos into the space of the code; if that is another one, those devices stay behind until they "
                + "join as well. Go on?",
            arguments)
    }

    private static func tell(_ outcome: DeviceJoining.Outcome, _ arguments: Arguments) throws {
        let context = try CommandContext(outcome.device)
        let count = try context.todos.counts().pending
        if arguments.has("json") {
            let space = try context.device.summary().space
            return Screen.line(
                JSONOutput.object([
                    ("space", JSONOutput.text(space.uuidText)),
                    ("received", .number(outcome.receivedCount)),
                    ("sent", .number(outcome.sentCount)), ("pending", .number(count)),
                    ("incomplete", .bool(outcome.isIncomplete)),
                    ("unreadable", .number(outcome.unreadableCount)),
                ]))
        }
        defer {
            if outcome.isIncomplete {
                Screen.paragraph(
                    "Not all is here: \(IncompleteMessages.missing) Run again: \(AdvisedLine.program) sync",
                    hanging: 0)
            }
            if outcome.unreadableCount > 0 {
                Screen.paragraph(
                    "Not all is here: \(IncompleteMessages.unreadable(outcome.unreadableCount))",
                    hanging: 0)
            }
        }
        let names = try context.device.directory().devices.filter {
            !$0.replicas.contains(context.device.replica) && !$0.isRevoked && $0.fingerprint != nil
        }.map { $0.name.shownInLine }
        let whom = names.isEmpty ? "the space" : "the space of \(names.joined(separator: ", "))"
        // A new store has nothing of its own to give: how many records went about tells nobody anything.
        let counts =
            outcome.isNew
            ? "" : "\(outcome.receivedCount) received, \(outcome.sentCount) sent, "
        Screen.paragraph(
            "Joined \(whom): \(counts)\(EditMessages.count(count)) pending", hanging: 2)
        if let advice = try DeviceName.advice(context) {
            Screen.paragraph("Note: \(advice)", hanging: 0)
        }
        Screen.line(
            "Next: \(AdvisedLine.program) daemon --install, which syncs from now on; then: \(AdvisedLine.program) list"
        )
    }
}
