import Terminal
import ToDo

/// Lists to-dos.
enum ListCommand: Command {
    static let name = "list"
    static let summary = "List to-dos, most urgent first"
    static let help = """
          tandem list
          tandem list project:Home +errand
          tandem list due.before:eow -someday
          tandem list +OVERDUE or priority:high
          tandem list project:Work not '(+someday or +WAITING)'
          tandem list x.cost.above:20
          tandem list status:completed --limit 20
          tandem list --by project

        Words search titles and notes. key:value, key.before:, key.after:, key.by:,
        `+tag` and `-tag` choose by field; the keys are those of `tandem add`. All must
        hold; `or`, `not` and parentheses (in quotes) join them in other ways. Fields of
        your own take .above: and .below:. Computed tags:
        +TODAY +TOMORROW +WEEK +OVERDUE +READY +ACTIVE +INBOX +AGENDA +WAITING
        +REPEATING +REMINDING +SUBTASK.
        The number in front names the to-do in other commands, and stays until it is
        finished (tandem help numbers). With --json, to-dos have ids instead.
        * marks a repeating to-do, ? a conflict. Subtasks stand under their parent if
        both are in the same section; with --by manual an arrow marks them.

        --by WORD         sections: urgency (the default), day, project or none; manual:
                          the order made by `tandem move`
        --all             include finished to-dos
        --limit N         show at most N to-dos (default 500, 0 for no limit)
        """
    static let values = ["limit", "by"]
    static let flags = ["all"]
    /// The values of `--by`.
    static let sectionWords = ["urgency", "day", "project", "manual", "none"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let filter = try ToDoFilter.parse(
            arguments.words, now: context.now, zone: context.zone, weekStart: context.weekStart)
        let limit = try Limit.read(arguments["limit"], standard: 500)
        let isManual = arguments["by"] == "manual"
        let sections = try sections(arguments["by"])
        let pendingOnly = filter.isOfPending(showsAll: arguments.has("all"))
        // One more than is shown tells whether there are more.
        let more = limit.map { $0 + 1 }
        var found =
            isManual
            ? try context.todos.listInOrder(filter, pendingOnly: pendingOnly, limit: more)
            : try context.todos.list(filter, pendingOnly: pendingOnly, limit: more)
        let hasMore = limit.map { found.count > $0 } ?? false
        if let limit, hasMore { found.removeSubrange(limit...) }
        if arguments.has("json") {
            Screen.line(JSONOutput.array(try JSONOutput.items(found, context.todos)))
            return found.isEmpty ? .nothing : .ok
        }
        let isWhole = pendingOnly && filter.conditions.isEmpty
        var empty: [String] = []
        if found.isEmpty {
            let none = NoMatch(
                words: arguments.words, filter: filter, isAll: !pendingOnly, context: context)
            empty = isWhole ? ["Nothing to do; next: tandem add Buy milk"] : try none.parts()
        }
        try ListOutput.write(
            found, by: sections, empty: empty, hasMore: hasMore, isWhole: isWhole,
            keepsOrder: isManual, dates: filter.dateTests, context)
        return found.isEmpty ? .nothing : .ok
    }

    private static func sections(_ word: String?) throws -> ToDoSections {
        switch word {
        case nil, "urgency": return .urgency
        case "day": return .day
        case "project": return .project
        case "none", "manual": return .none
        case let word?:
            throw CommandFailure(
                .usage, "--by takes urgency, day, project, manual or none, not '\(word)'")
        }
    }
}
