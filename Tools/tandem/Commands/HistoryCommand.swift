import Terminal
import ToDo

/// Tells what became of to-dos.
enum HistoryCommand: Command {
    static let name = "history"
    static let summary = "Show who changed what in a to-do, and when"
    static let help = """
          tandem history 3
          tandem history 1-3
          tandem history 3 --json
          tandem restore 3 --as-of "yesterday 17:00"

        Lists the changes that this device made or received, latest first: which device
        changed the field, when by that device's clock, and the old value. The last
        100,000 changes are kept, at most 32 MiB.

        --limit N         show at most N changes of each (default 100, 0 for no limit)
        """
    static let values = ["limit"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        if arguments.words.isEmpty {
            throw CommandFailure(.usage, "say which one: \(AdvisedLine.program) history 3")
        }
        let found = try context.findAll(arguments.words)
        let limit = try Limit.read(arguments["limit"], standard: 100)
        if arguments.has("json") {
            let entries = try found.flatMap {
                try context.todos.history(of: $0.id, limit: limit).entries
            }
            Screen.line(JSONOutput.array(try entries.map { try JournalOutput.json($0, context) }))
            return .ok
        }
        for (index, stored) in found.enumerated() {
            if index > 0 { Screen.line("") }
            try tell(stored, limit: limit, context)
        }
        return .ok
    }

    private static func tell(_ stored: Record, limit: Int?, _ context: CommandContext) throws {
        let (entries, since) = try context.todos.history(of: stored.id, limit: limit)
        Screen.paragraph(
            stored.shownTitle, hanging: 0, style: Screen.bold)
        for step in try context.todos.steps(of: stored, entries) {
            switch step {
            case .change(let entry, let isApart):
                try JournalOutput.write(entry, isApartFromDelete: isApart, context)
            case .purge(let device, let time):
                let words = DatePhrase.absolute(.instant(time), zone: context.zone)
                JournalOutput.write("\(words)  \(device.shownInLine)", "purged it")
            }
        }
        try tellMaking(of: stored, entries, context)
        if let since {
            let time = DatePhrase.absolute(.instant(since), zone: context.zone)
            Screen.line(Screen.faint("the journal goes back to \(time)"))
        }
    }

    /// Writes the history of a record that was never changed here: its creation.
    private static func tellMaking(
        of stored: Record, _ entries: [JournalEntry], _ context: CommandContext
    ) throws {
        guard entries.isEmpty, let write = stored.record.writes.first else { return }
        let time = DatePhrase.absolute(
            .instant(write.timestamp.milliseconds), zone: context.zone)
        let device = try context.todos.deviceName(write.dot.replica).shownInLine
        JournalOutput.write(
            "\(time)  \(device)", stored.record.writes.count == 1 ? "made it" : "first seen")
    }
}
