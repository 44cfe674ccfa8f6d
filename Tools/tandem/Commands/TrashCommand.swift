import Storage
import ToDo

/// Lists what is in the trash.
enum TrashCommand: Command {
    static let name = "trash"
    static let summary = "lists deleted to-dos"
    static let help = """
          tandem trash
          tandem restore 2
          tandem purge 3

        After 180 days, and 30 days on which it ran, the device that deleted a to-do purges it.
        """
    static let values = ["limit"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let place = try Workplace.open(arguments)
        let found = try place.todos.list(
            ToDoFilter([]), pendingOnly: false,
            limit: try Limit.read(arguments["limit"], standard: 500), scope: .trash)
        Listing.write(place.store.paths.folder, found.map(\.id))
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.array(
                    found.enumerated().map {
                        JSONOutput.item($0.element, extra: [("number", String($0.offset + 1))])
                    }))
        } else {
            ToDoTable.write(found.map(ToDoMapping.item), place)
            Terminal.line(Terminal.faint("\(Echo.count(found.count)) in the trash"))
        }
        return found.isEmpty ? .nothing : .ok
    }
}
