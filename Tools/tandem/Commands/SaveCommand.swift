import Terminal
import ToDo

/// Saves a view of the user's own.
enum SaveCommand: Command {
    static let name = "save"
    static let summary = "Save a filter as a list of your own, on all devices"
    static let help = """
          tandem save work project:Work -someday
          tandem save work sort:-priority,due
          tandem save work group:project
          tandem save work columns:due,tags,x.size
          tandem view work
          tandem save work --remove

        The words behind the name are those of a filter. What is not named stays as it
        was; a key without a value clears its part, as `filter:` does for the filter.
        `tandem NAME` shows the list, and takes the words of a filter besides;
        `tandem view` lists all of them. A date such as 5/6 is refused here: the words
        mean the same on every device. `depends:3` is saved with the id of that to-do.

        columns:WORDS     columns beside the title: due, tags, x.size and others
        sort:WORDS        sort by these; - in front: the greatest first
        group:WORD        sections: urgency, day, project, manual or none

        --remove          remove the view from all devices; of a purged one, let go of
                          what another device changed meanwhile (tandem conflicts)
        """
    static let flags = ["remove"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let name = arguments.words.first, name != "--" else {
            throw CommandFailure(
                .usage,
                "save needs a name and a filter, for example: \(AdvisedLine.program) save work +work"
            )
        }
        let words = Array(arguments.words.dropFirst())
        if arguments.has("remove") {
            if let word = words.first {
                throw CommandFailure(
                    .usage, "'\(word.shownInLine)' is not expected beside --remove")
            }
            return try remove(name, arguments)
        }
        try SavedViewWords.refuseTaken(name)
        // Before the store is opened, which may not be there.
        try refuseLimit(words, of: name)
        let context = try CommandContext.open(arguments)
        let ids = try SavedViewWords.withIDs(words, context)
        let change = try SavedViewChange(ids.words)
        let before = try context.todos.savedView(named: name)
        if words.isEmpty, try context.todos.savedView(named: name) == nil,
            try context.todos.contestedView(named: name) == nil,
            SavedView.isName(SavedView.key(name))
        {
            throw CommandFailure(
                .usage,
                "say what \(SavedView.key(name)) shows, for example: \(AdvisedLine.program) save \(SavedView.key(name)) +work"
            )
        }
        let view: SavedView
        do throws(SavedViewSavingFault) {
            view = try context.todos.save(view: name, change)
        } catch .view(let fault) {
            throw fault
        } catch .store(let fault) {
            throw fault
        }
        if arguments.has("json") {
            Screen.line(SavedViewWords.json(view))
        } else {
            Screen.paragraph(
                """
                Saved \(view.name): \(SavedViewWords.summary(view)); \
                next: \(SavedViewWords.line(showing: view.name))
                """, hanging: 2)
            if let before, before.words != view.words {
                Screen.paragraph(
                    "  its filter was: \(SavedViewWords.words(ofFilter: before.words))", hanging: 4)
            }
        }
        for remark in ids.remarks + (change.words ?? []).compactMap(NoMatch.ownField) {
            Screen.error("tandem: \(remark)\n")
        }
        // Told of names that it leaves out and no to-do has.
        if let words = change.words { _ = try context.filter(words) }
        return .ok
    }

    private static func refuseLimit(_ words: [String], of name: String) throws {
        guard let word = words.prefix(while: { $0 != "--" }).first(where: ForeignFilter.isLimit)
        else { return }
        throw CommandFailure(
            .usage,
            "a view keeps no limit; to show as many: \(SavedViewWords.line(showing: SavedView.key(name)).shownInLine) "
                + "--limit \(word.dropFirst(ForeignFilter.limit.count))")
    }

    private static func remove(_ name: String, _ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        var known = try context.todos.contestedView(named: name)
        if known == nil { known = try context.todos.savedView(named: name) }
        if known == nil, let kept = try context.todos.keptView(named: name) {
            return try letGo(kept, arguments, context)
        }
        let view = try known ?? SavedViewWords.find(name, context)
        _ = try context.todos.removeView(named: view.name)
        if arguments.has("json") {
            Screen.line(SavedViewWords.json(view))
        } else {
            Screen.paragraph(
                "Removed the view \(view.name), not its to-dos; to bring it back: \(AdvisedLine.program) undo",
                hanging: 2)
        }
        return .ok
    }

    /// Lets go of what another device wrote to a purged view.
    private static func letGo(
        _ kept: SavedView, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        _ = try context.todos.letGo(ofView: kept.name)
        if arguments.has("json") {
            Screen.line(SavedViewWords.json(kept))
        } else {
            Screen.paragraph(
                "Let go of what another device changed in the view \(kept.name), which was purged: "
                    + SavedViewWords.summary(kept), hanging: 2)
        }
        return .ok
    }
}
