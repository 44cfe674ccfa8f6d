import Terminal
import ToDo

/// Lists what is in the trash.
enum TrashCommand: Command {
    static let name = "trash"
    static let summary = "List deleted to-dos"
    static let help = """
          tandem trash
          tandem restore 2
          tandem purge 3

        The latest deleted comes first. The device that deleted a to-do purges it after
        180 days, once it has run on 30 days since.

        --limit N         show at most N to-dos (default 500, 0 for no limit)
        """
    static let values = ["limit"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let context = try CommandContext.openToRead(arguments)
        let (found, count) = try context.todos.trash(
            limit: try Limit.read(arguments["limit"], standard: ToDoView.standardCount))
        let deletions = try found.map { try context.todos.deletion(of: $0) }
        if arguments.has("json") {
            let lines = try zip(found, deletions).map { stored, deletion in
                try JSONOutput.item(
                    stored, context.todos, extra: deletion.map { JSONOutput.deletion($0) } ?? [])
            }
            Screen.line(JSONOutput.array(lines))
            return found.isEmpty ? .nothing : .ok
        }
        let times = deletions.map { deletion in
            ListedDate(
                deletion.map { .instant($0.time) },
                before: deletion.map { "deleted on \($0.device.shownInLine) " } ?? "")
        }
        ToDoTable.write(found, dates: times, context)
        let more = count > found.count ? "; \(found.count) shown, more with --limit" : ""
        Screen.line(Screen.faint("\(EditMessages.count(count)) in the trash\(more)"))
        return found.isEmpty ? .nothing : .ok
    }
}
