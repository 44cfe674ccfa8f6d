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
        let context = try CommandContext.openToRead(arguments)
        let conflicts = try context.todos.conflicts()
        if arguments.has("json") {
            Screen.line(JSONOutput.array(conflicts.map { ConflictOutput.json($0) }))
            return conflicts.isEmpty ? .nothing : .ok
        }
        let views = try context.todos.savedViews().filter(\.isInConflict)
        if conflicts.isEmpty {
            if views.isEmpty { Screen.line("No conflicts.") }
            tell(views)
            return views.isEmpty ? .nothing : .ok
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
        if !views.isEmpty { Screen.line("") }
        tell(views)
        return .ok
    }

    /// Names lists of the user's own that two devices changed; saving one again decides it.
    private static func tell(_ views: [SavedView]) {
        for view in views {
            let conflict = SavedViewWords.conflict(view) ?? ""
            Screen.paragraph("view \(view.name): \(conflict)", hanging: 2)
        }
    }
}
