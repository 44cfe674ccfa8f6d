import Terminal
import ToDo

/// Puts to-dos elsewhere in the user's order.
enum MoveCommand: Command {
    static let name = "move"
    static let summary = "Move to-dos in your manual order"
    static let help = """
          tandem move 3 --top
          tandem move 3 --before 1
          tandem move 3 --after 1
          tandem move 1-3,7 --after 5
          tandem list --by manual

        To-dos that were never moved stand in the order of their creation, behind next
        occurrences: several devices may make these, so they have no time of creation.
        Moves on several devices never conflict. Several to-dos stand together
        afterwards, in the order in which you name them: `tandem move 3,1 --top` puts 3
        first, then 1.

        --top, --bottom   make it the first, the last of all
        --before WHICH    put it right before another
        --after WHICH     put it right after another
        """
    static let values = ["before", "after"]
    static let flags = ["top", "bottom"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        if arguments.words.isEmpty {
            throw CommandFailure(
                .usage, "say which, and where to: \(AdvisedLine.program) move 3 --top")
        }
        let options =
            ["top", "bottom"].filter { arguments.has($0) }
            + ["before", "after"].filter { arguments[$0] != nil }
        guard let option = options.first, options.count == 1 else {
            throw CommandFailure(
                .usage,
                "say one of --top, --bottom, --before, --after, for example: \(example(arguments.words))"
            )
        }
        let found = try context.findAlive(arguments.words)
        for stored in found { try checkPending(stored) }
        let target = try target(option, arguments, context)
        if let beside = target.beside, let stored = found.first(where: { $0.id == beside }) {
            throw CommandFailure(
                .usage,
                found.count == 1
                    ? "a to-do cannot be moved beside itself"
                    : "'\(stored.shownTitle)' is one of those to be moved, and --\(option) takes another one; "
                        + "nothing was moved")
        }
        let isMoved = try context.todos.move(found.map(\.id), to: target)
        try report(found, arguments, context) { _ in isMoved ? "Moved" : "Was there already" }
        return .ok
    }

    private static func target(
        _ option: String, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ToDoStore.Target {
        guard let word = arguments[option] else { return option == "top" ? .top : .bottom }
        let other = try context.findOneAlive([word], as: "--\(option) takes one", "--\(option) ")
        try checkPending(other)
        return option == "before" ? .before(other.id) : .after(other.id)
    }

    /// The line that moves, where a word says what an option says, or nothing does.
    private static func example(_ words: [String]) -> String {
        let directions = ["top", "bottom", "before", "after"]
        let position = words.dropFirst().lastIndex { directions.contains($0.lowercased()) }
        let line = words.enumerated().map { index, word in
            index == position ? "--\(word.lowercased())" : word.shellQuoted
        }
        return "\(AdvisedLine.program) move "
            + (line + (position == nil ? ["--top"] : [])).joined(separator: " ")
    }

    private static func checkPending(_ stored: Record) throws {
        guard ToDoMapping.item(stored).status == .pending else {
            throw CommandFailure(
                .refused, "'\(stored.shownTitle)' is finished and has no place; nothing was moved")
        }
    }
}

extension ToDoStore.Target {
    /// The to-do that the target names; nil for an end of the list.
    fileprivate var beside: RecordID? {
        switch self {
        case .top, .bottom: nil
        case .before(let other), .after(let other): other
        }
    }
}
