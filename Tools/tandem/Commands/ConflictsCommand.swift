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
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.open(arguments)
        let conflicts = try context.todos.conflicts()
        if arguments.has("json") {
            Screen.line(JSONOutput.array(conflicts.map { ConflictOutput.json($0) }))
            return conflicts.isEmpty ? .nothing : .ok
        }
        if conflicts.isEmpty {
            Screen.line("No conflicts.")
            return .nothing
        }
        var ids: [RecordID] = []
        for conflict in conflicts {
            if ids.last != conflict.id {
                if !ids.isEmpty { Screen.line("") }
                ids.append(conflict.id)
                let title = conflict.title.shownTitle(as: conflict.standing)
                Screen.line("\(ids.count)  \(Screen.bold(title))")
            }
            ConflictOutput.write(conflict, number: ids.count, context)
        }
        Listing.write(context.store.paths.folder, ids)
        return .ok
    }
}
