import Terminal
import ToDo

/// Lets overdue series go on from today.
enum CatchUpCommand: Command {
    static let name = "catchup"
    static let summary = "Move overdue repeating to-dos to their next date"
    static let help = """
          tandem catchup
          tandem catchup 3
          tandem catchup project:Home

        The to-do gets the first date of its schedule that is today or later; the dates
        before are passed over, and count for `5 times`. A weekly to-do stays on its day
        of the week, one that counts from completion is due today. Without words, all
        overdue repeating to-dos; asks if more than one (--yes: do not ask).

        --dry-run         show what would change, and change nothing

        \(Selection.help)
        """
    static let values = ["where"]
    static let flags = ["dry-run"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(
            arguments, onlyReads: arguments.has("dry-run"))
        let isByFilter = try Selection.filter(arguments) != nil
        let isNamed = !isByFilter && !arguments.words.isEmpty
        var hasEnded = false
        let edits = try found(arguments, context).compactMap { stored in
            try edit(stored, isNamed: isNamed, context) { hasEnded = true }
        }
        if edits.isEmpty {
            // A series that has ended was named already.
            if !hasEnded { Screen.line("No repeating to-do is overdue") }
            return .nothing
        }
        if arguments.has("dry-run") {
            for edit in edits { try ItemEdit.tell(edit.old, edit.new, "Would change", context) }
            return .ok
        }
        if !isNamed {
            let stored = try edits.compactMap { try context.todos.stored($0.id) }
            try Selection.confirmMany(stored, "Catch up with", arguments, context)
        }
        let changed = try context.todos.edit(edits)
        if arguments.has("json") {
            let stored = try edits.compactMap { try context.todos.stored($0.id) }
            Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
            return .ok
        }
        if let last = edits.last { context.naming.setLatest(last.id) }
        for edit in edits where changed.contains(edit.id) {
            try ItemEdit.tell(edit.old, edit.new, "Caught up", context)
        }
        return .ok
    }

    /// The to-dos that are meant: those that are named or that a filter takes, else all that are overdue.
    private static func found(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> [Record] {
        if arguments.words.isEmpty, arguments["where"] == nil {
            return try context.todos.list(ToDoStore.overdueSeries, pendingOnly: true)
        }
        return try Selection.find(arguments, context)
    }

    private static func edit(
        _ stored: Record, isNamed: Bool, _ context: CommandContext, ended: () -> Void
    ) throws -> (id: RecordID, old: ToDoItem, new: ToDoItem)? {
        let old = ToDoMapping.item(stored)
        do throws(ToDoItem.CatchUpObstacle) {
            return (stored.id, old, try context.todos.caughtUp(old))
        } catch {
            let text = "'\(old.shownTitle)' \(words(error, stored, context))"
            if isNamed { throw CommandFailure(.refused, "\(text); nothing was changed") }
            // All else that a filter takes is left as it is.
            if error == .isOver {
                Screen.error("tandem: \(text)\n")
                ended()
            }
            return nil
        }
    }

    private static func words(
        _ obstacle: ToDoItem.CatchUpObstacle, _ stored: Record, _ context: CommandContext
    ) -> String {
        switch obstacle {
        case .doesNotRepeat:
            "does not repeat; for a new date: \(AdvisedLine.program) edit \(context.end(of: stored.id)) due:today"
        case .unknownRepetition: "repeats in a way that this version does not know"
        case .isFinished: "is finished already"
        case .isNotOverdue: "is not overdue"
        case .isOver:
            "has ended: its schedule has no date from today on; to finish it: "
                + "\(AdvisedLine.program) done \(context.end(of: stored.id)), else: \(AdvisedLine.program) delete \(context.end(of: stored.id))"
        }
    }

    /// Names the command behind an occurrence that is overdue as soon as it is made.
    static func offer(_ id: RecordID, _ context: CommandContext) throws {
        guard let stored = try context.todos.stored(id),
            context.todos.isBehind(ToDoMapping.item(stored))
        else { return }
        Screen.line(
            Screen.faint(
                "    to go on from today: \(AdvisedLine.program) \(name) \(context.name(of: stored))"
            ))
    }
}
