import Terminal
import ToDo

/// Lists what devices disagree on.
enum ConflictsCommand: Command {
    static let name = "conflicts"
    static let summary = "List what devices disagree on"
    static let help = """
          tandem conflicts
          tandem resolve 1 --field title --theirs

        Two devices changed the same field while apart. Both values are kept, with the
        device that set each, until you choose one with `tandem resolve`. The choice
        syncs like any other edit.
        What a device wrote to a to-do that another one purged meanwhile is kept, too:
        `tandem resolve 1 --copy` makes a new to-do of it, `tandem purge 1 --force`
        drops it.
        A view that devices changed apart, or that one removed or purged, is listed with
        commands that decide it.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.openToRead(arguments)
        let conflicts = try context.todos.conflicts()
        let views = try context.todos.viewConflicts()
        let isNone = conflicts.isEmpty && views.isEmpty
        if arguments.has("json") {
            Screen.line(
                JSONOutput.array(
                    conflicts.map { ConflictOutput.json($0) }
                        + views.map { ConflictOutput.json($0) }))
            return isNone ? .nothing : .ok
        }
        if isNone {
            Screen.line("No conflicts.")
            return .nothing
        }
        let records = try conflicts.map(\.id).reduce(into: [RecordID]()) { ids, id in
            if ids.last != id { ids.append(id) }
        }.compactMap { try context.todos.stored($0) }
        let names = Dictionary(
            zip(records, context.naming.names(of: records)).map { ($0.id, $1) },
            uniquingKeysWith: { first, _ in first })
        var last: RecordID?
        for conflict in conflicts {
            let name = names[conflict.id] ?? context.end(of: conflict.id)
            if last != conflict.id {
                if last != nil { Screen.line("") }
                last = conflict.id
                let title = conflict.title.shownTitle(as: conflict.standing)
                Screen.line("\(name)  \(Screen.bold(title))")
            }
            ConflictOutput.write(conflict, named: name, context)
        }
        for (index, view) in views.enumerated() {
            if index > 0 || !conflicts.isEmpty { Screen.line("") }
            ConflictOutput.write(view, context)
        }
        return .ok
    }
}
