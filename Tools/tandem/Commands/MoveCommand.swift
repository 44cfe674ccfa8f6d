import Terminal
import ToDo

/// Puts a to-do elsewhere in the user's order.
enum MoveCommand: Command {
    static let name = "move"
    static let summary = "Move a to-do in your manual order"
    static let help = """
          tandem move 3 --top
          tandem move 3 --before 1
          tandem move 3 --after 1
          tandem list --by manual

        To-dos that were never moved stand in the order of their creation. Moves on
        several devices never conflict.

        --top, --bottom   make it the first, the last of all
        --before WHICH    put it right before another
        --after WHICH     put it right after another
        """
    static let values = ["before", "after"]
    static let flags = ["top", "bottom"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        if arguments.words.isEmpty {
            throw CommandFailure(.usage, "say which, and where to: tandem move 3 --top")
        }
        let which = arguments.words.joined(separator: " ")
        let stored = try pending(arguments.words, context)
        var targets: [ToDoStore.Target] = []
        if arguments.has("top") { targets.append(.top) }
        if arguments.has("bottom") { targets.append(.bottom) }
        if let word = arguments["before"] {
            targets.append(.before(try pending([word], context).id))
        }
        if let word = arguments["after"] {
            targets.append(.after(try pending([word], context).id))
        }
        guard let target = targets.first, targets.count == 1 else {
            throw CommandFailure(
                .usage,
                "say one of --top, --bottom, --before, --after, for example: tandem move \(which.shownInLine) --top"
            )
        }
        if target == .before(stored.id) || target == .after(stored.id) {
            throw CommandFailure(.usage, "a to-do cannot be moved beside itself")
        }
        let isMoved = try context.todos.move(stored.id, to: target)
        try report([stored], arguments, context) { _ in isMoved ? "Moved" : "Was there already" }
        return .ok
    }

    private static func pending(_ words: [String], _ context: CommandContext) throws -> Record {
        let found = try context.findOneAlive(words)
        guard ToDoMapping.item(found).status == .pending else {
            throw CommandFailure(
                .refused, "'\(found.shownTitle)' is finished and has no place")
        }
        return found
    }
}
