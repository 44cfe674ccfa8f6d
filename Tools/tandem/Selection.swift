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
    static func find(_ arguments: Arguments, _ place: CommandContext) throws -> [StoredRecord] {
        guard let filter = arguments["where"] else {
            return try place.findAlive(arguments.words)
        }
        if let word = arguments.words.first {
            throw CommandFailure(.usage, "'\(word)' is not expected beside --where")
        }
        return try find(filter, isAll: arguments.has("all"), place)
    }

    /// Returns the to-dos that match a filter's words, separated by spaces; pending ones unless the
    /// words name a status.
    static func find(
        _ text: String, isAll: Bool = false, _ place: CommandContext
    ) throws -> [StoredRecord] {
        let words = text.split(separator: " ").map { String($0) }
        if words.isEmpty { throw CommandFailure(.usage, "--where needs the words of a filter") }
        let filter = try ToDoFilter.parse(
            words, now: place.now, zone: place.zone, weekStart: place.weekStart)
        let found = try place.todos.list(filter, pendingOnly: filter.isOfPending(showsAll: isAll))
        if found.isEmpty {
            let none = NoMatch(words: words, filter: filter, isAll: true, place: place)
            let reasons = try none.parts().dropFirst().map { "; \($0)" }.joined()
            throw CommandFailure(.nothing, "nothing matches '\(text)'\(reasons)")
        }
        return found
    }

    /// Asks before a command that a filter chose for changes more than one.
    static func confirm(
        _ found: [StoredRecord], _ question: String, _ arguments: Arguments
    ) throws {
        guard arguments["where"] != nil, found.count > 1 else { return }
        let titles = found.prefix(5).map { "  " + ToDoMapping.item($0).shownTitle }
        let more = found.count > 5 ? ["  and \(found.count - 5) more"] : []
        if !arguments.has("yes") {
            Screen.error((titles + more).joined(separator: "\n") + "\n")
        }
        try CommandContext.confirm("\(question) \(Echo.count(found.count))?", arguments)
    }
}
