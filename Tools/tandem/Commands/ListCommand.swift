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

        Free words look in titles and notes; key:value, key.before:, key.after:, +tag and -tag as when
        adding; +TODAY +TOMORROW +WEEK +OVERDUE +READY +ACTIVE +INBOX +AGENDA follow from the dates.
        The numbers in front stay good until the next listing on this device.

        --all             finished ones too
        --limit N         at most so many (default 500, 0 for no limit)
        """
    static let values = ["limit"]
    static let flags = ["all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let place = try Workplace.open(arguments)
        let filter = try ToDoFilter.parse(arguments.words, now: place.now, zone: place.zone)
        let limit = try Limit.read(arguments["limit"], standard: 500)
        let speaksOfStatus = filter.conditions.contains { condition in
            switch condition {
            case .status, .virtual(.completed), .virtual(.cancelled), .virtual(.pending): true
            default: false
            }
        }
        let found = try place.todos.list(
            filter, pendingOnly: !arguments.has("all") && !speaksOfStatus, limit: limit)
        Listing.write(place.store.paths.folder, found.map(\.id))
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.array(
                    found.enumerated().map {
                        JSONOutput.item($0.element, extra: [("number", String($0.offset + 1))])
                    }))
            return found.isEmpty ? .nothing : .ok
        }
        ToDoTable.write(found.map(ToDoMapping.item), place)
        try foot(found.count, limit, place)
        return found.isEmpty ? .nothing : .ok
    }

    private static func foot(_ shown: Int, _ limit: Int?, _ place: Workplace) throws {
        let counts = try place.todos.counts()
        var parts = [Echo.count(shown)]
        if shown == limit { parts[0] += " shown (more with --limit)" }
        if counts.pending != shown { parts.append("\(counts.pending) pending in all") }
        if counts.conflicted > 0 {
            parts.append("\(Echo.count(counts.conflicted)) in conflict: tandem conflicts")
        }
        Terminal.line(Terminal.faint(parts.joined(separator: ", ")))
    }
}
