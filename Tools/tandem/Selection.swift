import Terminal
import ToDo

/// The to-dos that a command is about: named one by one, or found by a filter behind `--where`.
enum Selection {
    /// The text on selections in help pages.
    static let help = """
        --where FILTER    all to-dos that match FILTER, instead of naming them; asks
                          if more than one (--yes: do not ask)
        """

    /// Finds them; none is in the trash.
    static func find(_ arguments: Arguments, _ context: CommandContext) throws -> [Record] {
        guard let filter = arguments["where"] else {
            return try context.findAlive(arguments.words)
        }
        if let word = arguments.words.first {
            throw CommandFailure(.usage, "'\(word)' is not expected beside --where")
        }
        return try find(filter, isAll: arguments.has("all"), context)
    }

    /// Returns the to-dos that match a filter's words, separated by spaces; pending ones unless the
    /// words name a status.
    static func find(
        _ text: String, isAll: Bool = false, _ context: CommandContext
    ) throws -> [Record] {
        let words = text.split(separator: " ").map { String($0) }
        if words.isEmpty { throw CommandFailure(.usage, "--where needs the words of a filter") }
        let filter = try ToDoFilter.parse(
            words, now: context.now, zone: context.zone, weekStart: context.weekStart)
        let found = try context.todos.list(filter, pendingOnly: filter.isOfPending(showsAll: isAll))
        if found.isEmpty {
            let none = NoMatch(words: words, filter: filter, isAll: true, context: context)
            let reasons = try none.parts().dropFirst().map { "; \($0)" }.joined()
            throw CommandFailure(.nothing, "nothing matches '\(text)'\(reasons)")
        }
        return found
    }

    /// Asks before a command that a filter chose for changes more than one.
    static func confirm(
        _ found: [Record], _ question: String, _ arguments: Arguments
    ) throws {
        guard arguments["where"] != nil, found.count > 1 else { return }
        let titles = found.prefix(5).map { "  " + $0.shownTitle }
        let more = found.count > 5 ? ["  and \(found.count - 5) more"] : []
        if !arguments.has("yes") {
            Screen.error((titles + more).joined(separator: "\n") + "\n")
        }
        try CommandContext.confirm("\(question) \(EditMessages.count(found.count))?", arguments)
    }
}
