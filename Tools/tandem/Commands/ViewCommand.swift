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
            TANDEM_WEEK_START=sunday.

            --all             include finished to-dos
            --limit N         show at most N to-dos (default 500, 0 for no limit)
            """
    }
    static let values = ["limit"]
    static let flags = ["all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let word = arguments.words.first else {
            throw CommandFailure(.usage, "say which: tandem today (see: tandem help view)")
        }
        guard let view = ToDoView(rawValue: word) else {
            let guess = Spelling.suggestion(for: word, among: ToDoView.allCases.map(\.rawValue))
            throw CommandFailure(
                .usage,
                "there is no view '\(word)'" + (guess.map { "; did you mean '\($0)'?" } ?? ""))
        }
        let context = try CommandContext.openToRead(arguments)
        let filter = try context.filter(Array(arguments.words.dropFirst()))
        let limit = try Limit.read(arguments["limit"], standard: context.settings.listLimit)
        var found = try context.todos.list(
            view, filter, showsAll: arguments.has("all"), in: context.calendar,
            limit: limit.map { $0 + 1 })
        let hasMore = limit.map { found.count > $0 } ?? false
        if hasMore { found.removeLast() }
        if arguments.has("json") {
            Screen.line(JSONOutput.array(try JSONOutput.items(found, context.todos)))
        } else {
            let words = Array(arguments.words.dropFirst())
            var empty = ["Nothing"]
            if found.isEmpty, !words.isEmpty {
                // Most views leave out completed to-dos, so these are no reason for an empty list.
                empty = try NoMatch(words: words, filter: filter, isAll: true, context: context)
                    .parts()
            }
            try ListOutput.write(
                found, by: ToDoSections(view), empty: empty, hasMore: hasMore, isWhole: false,
                context)
        }
        return found.isEmpty ? .nothing : .ok
    }
}
