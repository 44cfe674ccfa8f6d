import Causality
import Storage
import ToDo

/// Lists to-dos.
enum ListCommand: Command {
    static let name = "list"
    static let summary = "lists to-dos, the most urgent first"
    static let help = """
          tandem list
          tandem list project:Home +errand
          tandem list due.before:eow -someday
          tandem list +OVERDUE
          tandem list status:completed --limit 20

        Free words look in titles and notes; key:value, key.before:, key.after:, +tag
        and -tag as when adding; +TODAY +TOMORROW +WEEK +OVERDUE +READY +ACTIVE +INBOX
        +AGENDA follow from the dates. The numbers in front stay good until the next
        listing on this device; with --json they are left alone, and ids are given
        instead.

        --all             finished ones too
        --limit N         at most so many (default 500, 0 for no limit)
        """
    static let values = ["limit"]
    static let flags = ["all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let filter = try ToDoFilter.parse(arguments.words, now: place.now, zone: place.zone)
        let limit = try Limit.read(arguments["limit"], standard: 500)
        let pendingOnly = !arguments.has("all") && !filter.speaksOfStatus
        // One more than is shown tells whether there are more.
        var found = try place.todos.list(
            filter, pendingOnly: pendingOnly, limit: limit.map { $0 + 1 })
        let hasMore = limit.map { found.count > $0 } ?? false
        if hasMore { found.removeLast() }
        if arguments.has("json") {
            Terminal.line(JSONOutput.array(found.map { JSONOutput.item($0) }))
            return found.isEmpty ? .nothing : .ok
        }
        Listing.write(place.store.paths.folder, found.map(\.id))
        ToDoTable.write(found.map(ToDoMapping.item), place)
        let isWhole = pendingOnly && filter.conditions.isEmpty
        try foot(found.count, hasMore: hasMore, isWhole: isWhole, place)
        return found.isEmpty ? .nothing : .ok
    }

    private static func foot(
        _ shown: Int, hasMore: Bool, isWhole: Bool, _ place: Workplace
    ) throws {
        let counts = try place.todos.counts()
        var parts = [shown == 0 ? "Nothing matches" : Echo.count(shown)]
        if isWhole, shown == 0 { parts = ["Nothing to do; next: tandem add Buy milk"] }
        if hasMore { parts[0] += " shown, more with --limit" }
        if !isWhole || hasMore { parts.append("\(counts.pending) pending in all") }
        if counts.conflicted > 0 {
            parts.append("\(counts.conflicted) in conflict: tandem conflicts")
        }
        Terminal.line(Terminal.faint(parts.joined(separator: "; ")))
    }
}
