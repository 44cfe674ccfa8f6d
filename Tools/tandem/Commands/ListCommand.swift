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

        Words search titles and notes, whatever the case and the accents; their place in
        notes is shown below, with --json as `found`. key:value, key.before:,
        key.after:, key.by:, `+tag` and `-tag` choose by field; the keys are those of
        `tandem add`. All must hold; `or`, `not` and parentheses (in quotes) join them
        in other ways. Fields of your own take .above: and .below:. Computed tags:
        +TODAY +TOMORROW +WEEK +OVERDUE +READY +ACTIVE +INBOX +AGENDA +WAITING
        +REPEATING +REMINDING +SUBTASK +BLOCKED +BLOCKING, or in words:
        is:blocked.
        The number in front names the to-do in other commands, and stays until it is
        finished (tandem help numbers). With --json, to-dos have ids instead.
        Marks: ! high priority, > running timer, x completed, - cancelled, ? conflict,
        and behind the date * for a repeating to-do. Subtasks stand under their parent
        if both are in the same section; with --by manual an arrow marks them. `waits
        for` names what has to be done before, `blocks` what waits for the to-do.

        sort:due,-priority and columns:due,tags are for this time; `tandem save` keeps
        them.

        --by WORD         sections: urgency (the default; of one day by priority), day,
                          project or none; manual: the order made by `tandem move`
        --all             include finished to-dos
        --limit N         show at most N to-dos (default 500, 0 for no limit)
        """
    static let values = ["limit", "by"]
    static let flags = ["all"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try show(arguments.words, of: nil, arguments, CommandContext.openToRead(arguments))
    }

    /// Shows the to-dos that words take, in a view of the user's own if there is one.
    static func show(
        _ typed: [String], of view: SavedView?, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        if let word = typed.prefix(while: { $0 != "--" }).first(where: ForeignFilter.isLimit) {
            throw CommandFailure(
                .usage,
                "a limit is an option: --limit \(word.dropFirst(ForeignFilter.limit.count)) "
                    + "(words after -- are plain text)")
        }
        var (words, layout) = (typed, view?.layout ?? SavedView.Layout())
        try layout.take(from: &words)
        // Nothing is left out without a word.
        var remarks: [String] = []
        if view == nil, words.isEmpty, let text = context.settings.line("list.filter") {
            words = ShellWords.split(text) ?? []
            remarks.append("list.filter: \(words.joined(separator: " "))".shownInLine)
        }
        var filter = try context.filter(words)
        let dates = filter.comparedDates
        if let view {
            filter.conditions += try view.filter(
                now: context.now, zone: context.zone, weekStart: context.weekStart
            ).conditions
            words = view.words + words
        }
        if let chosen = try context.chosenContext() {
            filter.conditions += chosen.filter?.conditions ?? []
            remarks.append(chosen.remark)
        }
        remarks += layout.unknown.map { "not known here: \($0.shownInLine)" }
        if let conflict = view.flatMap(SavedViewWords.conflict) { remarks.append(conflict) }
        let limit = try Limit.read(arguments["limit"], standard: context.settings.listLimit)
        let grouping =
            try grouping(arguments["by"]) ?? layout.grouping
            ?? (layout.sort.isEmpty ? context.settings.listGrouping : .none)
        let isManual = grouping == .manual && layout.sort.isEmpty
        let pendingOnly = filter.isOfPending(showsAll: arguments.has("all"))
        // One more than is shown tells whether there are more.
        let more = limit.map { $0 + 1 }
        var found =
            isManual
            ? try context.todos.listInOrder(filter, pendingOnly: pendingOnly, limit: more)
            : try context.todos.list(
                filter, pendingOnly: pendingOnly, sort: layout.sort, limit: more)
        let hasMore = limit.map { found.count > $0 } ?? false
        if let limit, hasMore { found.removeSubrange(limit...) }
        if arguments.has("json") {
            for remark in remarks { Screen.error("tandem: \(remark)\n") }
            let items = try JSONOutput.items(
                found, context.todos, searched: filter.searchedTexts)
            Screen.line(JSONOutput.array(items))
            return found.isEmpty ? .nothing : .ok
        }
        let isWhole = pendingOnly && filter.conditions.isEmpty
        var empty: [String] = []
        if found.isEmpty {
            let none = NoMatch(
                words: words, filter: filter, isAll: !pendingOnly, context: context)
            empty =
                isWhole
                ? ["Nothing to do; next: \(AdvisedLine.program) add Buy milk"] : try none.parts()
        }
        try ListOutput.write(
            found, by: grouping.sections, columns: layout.columns, empty: empty, hasMore: hasMore,
            isWhole: isWhole, keepsOrder: isManual || !layout.sort.isEmpty, dates: dates,
            searched: filter.searchedTexts, remarks: remarks, context)
        return found.isEmpty ? .nothing : .ok
    }

    /// Reads `--by`.
    static func grouping(_ word: String?) throws -> ToDoGrouping? {
        guard let word else { return nil }
        guard let grouping = ToDoGrouping(rawValue: word) else {
            throw CommandFailure(
                .usage, "--by takes urgency, day, project, manual or none, not '\(word)'")
        }
        return grouping
    }
}

/// A line that begins with no command: a view of the user's own, else words to look for.
enum WordsCommand: Command {
    static let name = ListCommand.name
    static let summary = ListCommand.summary
    static let help = ListCommand.help
    static let values = ListCommand.values
    static let flags = ListCommand.flags
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        guard let word = arguments.words.first,
            let view = try context.todos.savedView(named: word)
        else {
            let code = try ListCommand.show(arguments.words, of: nil, arguments, context)
            if code == .nothing, let line = ForeignLine.search(arguments.words) {
                Screen.error(
                    "tandem: the command comes first, run: \(AdvisedLine.program) \(line)\n")
            }
            return code
        }
        return try ListCommand.show(
            Array(arguments.words.dropFirst()), of: view, arguments, context)
    }
}
