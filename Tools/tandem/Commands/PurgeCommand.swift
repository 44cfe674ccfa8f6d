import Terminal
import ToDo

/// Drops the content of deleted to-dos for ever.
enum PurgeCommand: Command {
    static let name = "purge"
    static let summary = "Erase deleted to-dos for good, on every device"
    static let help = """
          tandem purge 3
          tandem purge 3 5 --yes

        A mark of about 48 bytes remains, so that no device brings the to-do back.
        Earlier backups and snapshots (tandem restore --list) still contain it: remove
        these files if nobody may read it any more.

        --force           purge even with an open conflict, or if it is not deleted.
                          If another device edited a to-do while it was purged, this
                          drops these edits; it takes one such to-do at a time.
        """
    static let flags = ["force"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        let found = try context.findAll(arguments.words, in: .trash)
        let isForced = arguments.has("force")
        try refuse(found, isForced: isForced, context)
        if found.count > 1, !arguments.has("yes") { Selection.tell(found, context) }
        let what =
            found.count == 1
            ? "'\(found[0].shownTitle)'" : EditMessages.count(found.count)
        try CommandContext.confirm("Purge \(what)? This cannot be undone.", arguments)
        let purged = try context.todos.purge(found.map(\.id), isForced: isForced)
        try report(found, arguments, context) {
            purged.contains($0.id) ? "Purged" : "Was purged already"
        }
        return .ok
    }

    /// Says what stands in the way before anything is asked.
    private static func refuse(
        _ found: [Record], isForced: Bool, _ context: CommandContext
    ) throws {
        switch ToDoStore.obstacle(toPurging: found, isForced: isForced) {
        case .editedAfterPurge(let stored):
            let name = context.end(of: stored.id)
            throw CommandFailure(
                .refused,
                """
                '\(stored.shownTitle)' \(stored.standing.predicate): \
                \(AdvisedLine.program) resolve \(name) --copy makes a new to-do of them, \(AdvisedLine.program) purge \(name) --force \
                drops them, one to-do at a time
                """)
        case .conflict(let stored):
            throw CommandFailure(
                .refused,
                """
                '\(stored.shownTitle)' has a conflict whose values would be lost: \
                \(AdvisedLine.program) restore \(context.end(of: stored.id)) and decide it, or say --force
                """)
        case .notDeleted(let stored):
            throw CommandFailure(
                .refused,
                """
                '\(stored.shownTitle)' is not in the trash: \
                \(AdvisedLine.program) delete \(context.end(of: stored.id)), or say --force
                """)
        case nil: return
        }
    }
}
