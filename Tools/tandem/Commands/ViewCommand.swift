import Terminal
import ToDo

/// Shows one of the lists that people look at again and again.
enum ViewCommand: Command {
    static let name = "view"
    static let summary = "Show a list: today, tomorrow, overdue, log and others"
    static var help: String {
        let views = ToDoView.allCases.map { view in
            "  " + Cells.padded(view.rawValue, to: 12) + view.summary
        }
        return """
              tandem today
              tandem upcoming project:Home
              tandem log --limit 20
              tandem view next-week

            \(views.joined(separator: "\n"))

            Each is a command of its own and takes the words of a filter. Days are those
            of your time zone (TZ). Weeks begin on the first day of your locale, or as in
            TANDEM_WEEK_START=sunday. `tandem save` makes lists of your own; without a word,
            `tandem view` names them all.

            --by WORD         sections, as of `tandem list`
            --all             include finished to-dos
            --limit N         show at most N to-dos (default 500, 0 for no limit)
            """
    }
    static let values = ["limit", "by"]
    static let flags = ["all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let word = arguments.words.first else { return try list(arguments) }
        let context = try CommandContext.openToRead(arguments)
        guard let view = ToDoView(rawValue: word) else {
            guard let own = try context.todos.savedView(named: word) else {
                throw try SavedViewWords.missing(
                    word, among: ToDoView.allCases.map(\.rawValue), context)
            }
            return try ListCommand.show(
                Array(arguments.words.dropFirst()), of: own, arguments, context)
        }
        let (filter, chosen) = try context.narrowedFilter(Array(arguments.words.dropFirst()))
        let remarks = chosen.map { [$0.remark] } ?? []
        let grouping = try ListCommand.grouping(arguments["by"])
        let limit = try Limit.read(arguments["limit"], standard: context.settings.listLimit)
        var found = try context.todos.list(
            view, filter, showsAll: arguments.has("all"), in: context.calendar,
            limit: limit.map { $0 + 1 })
        let hasMore = limit.map { found.count > $0 } ?? false
        if hasMore { found.removeLast() }
        if arguments.has("json") {
            for remark in remarks { Screen.error("tandem: \(remark)\n") }
            let items = try JSONOutput.items(
                found, context.todos, searched: filter.searchedTexts)
            Screen.line(JSONOutput.array(items))
        } else {
            let words = Array(arguments.words.dropFirst())
            var empty = ["Nothing"]
            if found.isEmpty, !words.isEmpty {
                // Most views leave out completed to-dos, so these are no reason for an empty list.
                empty = try NoMatch(words: words, filter: filter, isAll: true, context: context)
                    .parts()
                if view == .log {
                    let line = SavedViewWords.words(ofFilter: ["add", "--done"] + words)
                    empty.append(
                        "to add what is done, run: \(AdvisedLine.program) \(line.shownInLine)")
                }
            }
            try ListOutput.write(
                found, by: grouping?.sections ?? ToDoSections(view), empty: empty,
                hasMore: hasMore, isWhole: false, searched: filter.searchedTexts, remarks: remarks,
                context)
        }
        return found.isEmpty ? .nothing : .ok
    }

    /// Lists the views by name: those of every device, then the user's own.
    private static func list(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.openToRead(arguments)
        let own = try context.todos.savedViews()
        if arguments.has("json") {
            Screen.line(JSONOutput.array(own.map(SavedViewWords.json)))
            return .ok
        }
        let width =
            (ToDoView.allCases.map(\.rawValue) + own.map(\.name)).map(Cells.count).max() ?? 0
        for view in ToDoView.allCases {
            row(view.rawValue, view.summary, width)
        }
        for view in own {
            let isHidden =
                UserConfiguration.hidesView(view.name)
                ? "; show it: \(AdvisedLine.program) view \(view.name)" : ""
            row(view.name, SavedViewWords.summary(view) + isHidden, width)
            if let conflict = SavedViewWords.conflict(view) { row("", "? " + conflict, width) }
            do {
                _ = try view.filter(
                    now: context.now, zone: context.zone, weekStart: context.weekStart)
            } catch {
                row("", "! " + CommandFailure(error).message, width)
            }
        }
        try tellRemoved(context, width)
        return .ok
    }

    /// Names the views that devices disagree on and that are removed or purged now.
    private static func tellRemoved(_ context: CommandContext, _ width: Int) throws {
        for one in try context.todos.viewConflicts() {
            if one.conflict.standing == .editedAfterPurge, let word = one.word {
                row(word, "? " + SavedViewWords.purgeConflict, width)
            }
            guard one.conflict.standing == .trashed, let name = one.name,
                let view = try context.todos.contestedView(named: name),
                let conflict = SavedViewWords.conflict(view)
            else { continue }
            row(name, "? " + conflict, width)
        }
    }

    private static func row(_ name: String, _ text: String, _ width: Int) {
        Screen.paragraph(
            text.shownInLine, label: Cells.padded(name, to: width + 2), hanging: width + 2)
    }
}
