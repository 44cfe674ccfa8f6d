import Terminal
import ToDo

/// The to-dos that a command is about: named one by one, or found by a filter.
enum Selection {
    /// The text on selections in help pages.
    static let help = """
        --where FILTER    all to-dos that match FILTER, instead of naming them; asks
                          if more than one (--yes: do not ask). A tag or a key needs no
                          --where: `+OVERDUE`, `project:Home +errand`.
        """
    /// No more titles stand in a question.
    private static let namedCountMax = 8
    private static let titleWidthMax = 60

    /// Finds them; none is in the trash.
    ///
    /// - Parameter settled: the status that the command gives.
    static func find(
        _ arguments: Arguments, in scope: ToDoNaming.Scope = .alive, settled: ToDoStatus? = nil,
        _ context: CommandContext
    ) throws -> [Record] {
        guard let filter = try filter(arguments) else {
            return try context.findAlive(arguments.words, in: scope, settled: settled)
        }
        return try find(filter, isAll: arguments.has("all"), context)
    }

    /// The to-dos that the first word names, as where other words say what to do with them.
    static func first(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> (found: [Record], isByFilter: Bool) {
        let word = Array(arguments.words.prefix(1))
        guard let filter = try filter(insteadOfNames: word) else {
            return (try context.findAlive(word), false)
        }
        return (try find(filter, context), true)
    }

    /// The words of the filter behind `--where`, or of the one in place of names; nil if to-dos are named.
    static func filter(_ arguments: Arguments) throws -> [String]? {
        if let text = arguments["where"] {
            if let word = arguments.words.first {
                throw CommandFailure(.usage, "'\(word.shownInLine)' is not expected beside --where")
            }
            return try words(ofFilter: text)
        }
        return try filter(insteadOfNames: arguments.words)
    }

    /// The words, if they are a filter and no names.
    static func filter(insteadOfNames words: [String]) throws -> [String]? {
        // Lists show this instead of a title; it begins as a filter does.
        if words == [ToDoItem.untitled] { return nil }
        guard let term = words.first(where: ToDoFilter.isTerm) else { return nil }
        if ToDoName.read(words).contains(.empty) { throw CommandFailure(ToDoNameFault.empty) }
        let isNumber = { (word: String) in
            ToDoName.isNumberOrLast(word) || ToDoName.isNumeric(word)
        }
        if let name = words.first(where: isNumber) {
            throw CommandFailure(
                .usage,
                "'\(name.shownInLine)' names a to-do and '\(term.shownInLine)' is a filter; "
                    + "say one or the other")
        }
        return words
    }

    /// The words of a filter that is one argument.
    static func words(ofFilter text: String) throws -> [String] {
        let words = text.split(separator: " ").map { String($0) }
        if words.isEmpty { throw CommandFailure(.usage, "--where needs the words of a filter") }
        return words
    }

    /// Returns the to-dos that match a filter's words; pending ones unless the words name a status.
    static func find(
        _ words: [String], isAll: Bool = false, _ context: CommandContext
    ) throws -> [Record] {
        let filter = try context.filter(words, changes: true)
        let found = try context.todos.list(filter, pendingOnly: filter.isOfPending(showsAll: isAll))
        if found.isEmpty {
            let none = NoMatch(words: words, filter: filter, isAll: true, context: context)
            let days = filter.comparedDates.compactMap {
                ListOutput.told($0, context)
            }
            let reasons = try (days + none.parts().dropFirst()).map { "; \($0)" }.joined()
            let text = words.joined(separator: " ").shownInLine
            throw CommandFailure(.nothing, "nothing matches '\(text)'\(reasons)")
        }
        return found
    }

    /// Asks before a command that a filter chose for changes more than one.
    static func confirm(
        _ found: [Record], _ question: String, _ arguments: Arguments, _ context: CommandContext
    ) throws {
        guard try filter(arguments) != nil else { return }
        try confirmMany(found, question, arguments, context)
    }

    /// Asks before a command changes more than one, and names them.
    static func confirmMany(
        _ found: [Record], _ question: String, _ arguments: Arguments, _ context: CommandContext
    ) throws {
        guard found.count > 1 else { return }
        if !arguments.has("yes") { tell(found, context) }
        try CommandContext.confirm("\(question) \(EditMessages.count(found.count))?", arguments)
    }

    /// Names the to-dos that a question is about, by their numbers as well: of a series several have one title.
    static func tell(_ found: [Record], _ context: CommandContext) {
        let shown = Array(found.prefix(namedCountMax))
        for (stored, name) in zip(shown, context.naming.names(of: shown)) {
            let title = context.datedTitle(of: stored, widthMax: titleWidthMax)
            Screen.error("  \(Cells.padded(name, to: 3)) \(title)\n")
        }
        let rest = found.count - namedCountMax
        if rest > 0 { Screen.error("  and \(rest) more\n") }
    }
}
