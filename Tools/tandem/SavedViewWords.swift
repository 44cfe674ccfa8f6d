import JSON
import Terminal
import ToDo

/// Views of the user's own, and the one that is the context, in words.
enum SavedViewWords {
    /// The line that a view is listed with behind its name: what it is, as it was typed.
    static func summary(_ view: SavedView) -> String {
        var parts = [words(ofFilter: view.words)]
        if !view.sort.isEmpty { parts.append("sort:" + view.sort.joined(separator: ",")) }
        if let grouping = view.grouping { parts.append("group:" + grouping) }
        if !view.columns.isEmpty { parts.append("columns:" + view.columns.joined(separator: ",")) }
        return parts.joined(separator: " ")
    }

    /// The words of a filter with ids in place of what names to-dos here alone, as in `depends:3`, and what is said of it.
    static func withIDs(
        _ words: [String], _ context: CommandContext
    ) throws -> (words: [String], remarks: [String]) {
        var (found, remarks) = ([String](), [String]())
        var isLiteral = false
        for word in words {
            isLiteral = isLiteral || word == "--"
            guard !isLiteral, let named = ToDoFilter.named(in: word) else {
                found.append(word)
                continue
            }
            let todos = try context.findAll([named.name])
            let terms = todos.map { named.key + $0.id.uuidText }
            // All that are left out, or one of those that are asked for.
            if named.isNegated || terms.count == 1 {
                found += terms
            } else {
                found += ["("] + terms.flatMap { ["or", $0] }.dropFirst() + [")"]
            }
            let titles = todos.map { "'\($0.shownTitle)'" }.joined(separator: ", ")
            remarks.append(
                "\(word.shownInLine) is saved with \(todos.count == 1 ? "the id" : "the ids") of \(titles), as numbers and titles are not the same on every device"
            )
        }
        return (found, remarks)
    }

    /// The words of a filter, as a shell takes them.
    static func words(ofFilter words: [String]) -> String {
        words.isEmpty ? "all to-dos" : words.map(\.shellQuotedInFilter).joined(separator: " ")
    }

    /// The conflict of a view, and how to end it; nil if devices agree.
    static func conflict(_ view: SavedView) -> String? {
        guard view.isInConflict else { return nil }
        if view.isContested {
            return
                "one device removed it while another changed it; to decide, run: \(AdvisedLine.program) conflicts"
        }
        let others = view.otherFilters.map { words(ofFilter: $0) }.joined(separator: "; or ")
        return "two devices changed it"
            + (others.isEmpty ? "" : ", the other filter: \(others)")
            + "; to decide, run: \(AdvisedLine.program) save \(view.name) WORDS"
    }

    /// The conflict of a view that was purged while another device changed it, and how to end it.
    static var purgeConflict: String {
        "one device purged it while another changed it; to decide, run: \(AdvisedLine.program) conflicts"
    }

    /// A value of a field of a view, as it was typed.
    static func words(_ field: Field, _ value: Value) -> String {
        if field == .deleted { return "brought it back" }
        if field == .number(ToDoSchema.ViewNumber.words) {
            let words = value.text?.split(separator: "\n").map { String($0) } ?? []
            return "filter: " + Self.words(ofFilter: words)
        }
        let text = value.text ?? ""
        return "\(ToDoSchema.name(of: field)): \(text.isEmpty ? "(nothing)" : text)"
    }

    /// The command that saves words under a name, as a shell takes it.
    static func command(saving words: [String], as name: String) -> String {
        (["\(AdvisedLine.program) save \(name)"] + words.map(\.shellQuoted)).joined(separator: " ")
    }

    /// The command that makes a decision on a view.
    static func command(_ decision: SavedViewConflict.Decision, on name: String) -> String {
        switch decision {
        case .save(let words): command(saving: words, as: name)
        case .remove: "\(AdvisedLine.program) save \(name) --remove"
        }
    }

    /// A view for programs.
    static func json(_ view: SavedView) -> JSONValue {
        JSONOutput.object([
            ("name", JSONOutput.text(view.name)),
            ("filter", .array(view.words.map(JSONOutput.text))),
            ("columns", .array(view.columns.map(JSONOutput.text))),
            ("sort", .array(view.sort.map(JSONOutput.text))),
            ("group", view.grouping.map(JSONOutput.text) ?? .null),
            ("conflict", .bool(view.isInConflict)),
        ])
    }

    /// The refusal of a name that a command, a list or an alias has.
    static func refuseTaken(_ name: String) throws {
        let key = SavedView.key(name)
        if UserConfiguration.isCommand(key) {
            throw CommandFailure(
                .usage, "'\(key.shownInLine)' is a command of tandem; take another name")
        }
    }

    /// The line that shows a view; a word that is near to a command's is taken for a slip, and one may be an alias.
    static func line(showing name: String) -> String {
        let isNear = Tandem.suggestion(for: name, among: Tandem.words.map(\.word)) != nil
        return AdvisedLine.program + " "
            + (isNear || UserConfiguration.hidesView(name) ? "view " : "") + name
    }

    /// The view of a name; it is there.
    static func find(_ name: String, _ context: CommandContext) throws -> SavedView {
        if let view = try context.todos.savedView(named: name) { return view }
        throw try missing(name, among: [], context)
    }

    /// The failure for a name that no view has.
    static func missing(
        _ name: String, among others: [String], _ context: CommandContext
    ) throws -> CommandFailure {
        if let view = try context.todos.contestedView(named: name) {
            return CommandFailure(
                .usage, "the view '\(view.name)' is not shown: \(conflict(view) ?? "")")
        }
        if try context.todos.keptView(named: name) != nil {
            return CommandFailure(
                .usage, "the view '\(name.shownInLine)' is not shown: \(purgeConflict)")
        }
        let known = others + (try context.todos.savedViews().map(\.name))
        let guess = Spelling.suggestion(for: name, among: known)
        return CommandFailure(
            .usage,
            "there is no view '\(name.shownInLine)'; "
                + (guess.map { "did you mean '\($0)'?" }
                    ?? "to make one, run: \(AdvisedLine.program) save NAME FILTER"))
    }
}

extension String {
    /// The word, in quotes only if a shell would take it for more than one.
    fileprivate var shellQuotedInFilter: String {
        contains { $0.isWhitespace || "()'\"\\$&;|<>*?".contains($0) } ? shellQuoted : self
    }
}

extension CommandContext {
    /// The context that holds: that of `TANDEM_CONTEXT`, else the one that was chosen.
    func chosenContext() throws -> ToDoContext? {
        let variable = Self.environment("TANDEM_CONTEXT")
        return try todos.context(
            insteadOfChosen: variable.flatMap { $0.isEmpty ? nil : $0 }, weekStart: weekStart)
    }

    /// The filter that words say, narrowed by the context that holds, and that context.
    func narrowedFilter(
        _ words: [String]
    ) throws -> (filter: ToDoFilter, chosen: ToDoContext?) {
        var filter = try filter(words)
        let chosen = try chosenContext()
        filter.conditions += chosen?.filter?.conditions ?? []
        return (filter, chosen)
    }
}

extension CommandContext {
    /// The title of a to-do, or the name of a view, as a line of a screen has it; `?` for what is not here.
    func shownTitle(of record: RecordName) throws -> String {
        try journalWords.title(of: record)
    }
}

extension ToDoContext {
    /// Tells below what a command shows that the context holds; beside JSON on the standard error.
    func tell(_ arguments: Arguments) {
        if arguments.has("json") {
            Screen.error("tandem: \(remark)\n")
        } else {
            Screen.line(Screen.faint(remark))
        }
    }

    /// The remark at the foot of a list.
    var remark: String {
        switch state {
        case .holds: "context \(name.shownInLine)"
        case .missing:
            "context \(name.shownInLine) is gone, so nothing is left out: \(AdvisedLine.program) context none"
        case .unreadable:
            "context \(name.shownInLine) cannot be read here, so nothing is left out"
        }
    }

    /// The words that a new to-do gets, as they would be typed; nil for none.
    var given: String? {
        var parts = project.isEmpty ? [] : ["project:" + project]
        parts += tags.map { "+" + $0 } + people.map { "person:" + $0 }
        return parts.isEmpty ? nil : SavedViewWords.words(ofFilter: parts)
    }
}

extension CommandFailure {
    /// A view that cannot be saved or shown.
    init(_ fault: SavedViewFault) {
        let columns = ToDoColumn.words.joined(separator: ", ") + " and x.NAME"
        switch fault {
        case .badName(let name):
            self.init(
                .usage,
                "'\(name.shownInLine)' cannot be the name of a view: it has letters, digits, - and "
                    + "_, at most \(SavedView.nameByteCountMax) bytes, not digits alone, and is not none"
            )
        case .unknownColumn(let word):
            let guess = Spelling.suggestion(for: word, among: ToDoColumn.words)
            self.init(
                .usage,
                "there is no column '\(word.shownInLine)'; "
                    + (guess.map { "did you mean '\($0)'?" } ?? "there are \(columns)"))
        case .unknownGrouping(let word):
            self.init(
                .usage,
                "group: takes urgency, day, project, manual or none, not '\(word.shownInLine)'")
        case .manyColumns:
            self.init(.usage, "a view has at most \(SavedView.columnCountMax) columns")
        case .badFilter(let error):
            self.init(.usage, "\(error)")
        case .longFilter:
            self.init(
                .usage,
                "the filter of a view has at most \(SavedView.filterByteCountMax) bytes")
        case .lineBreak(let word):
            self.init(.usage, "'\(word.shownInLine)' has a line break, which no view keeps")
        case .newer:
            self.init(
                .configuration,
                "a newer version of tandem wrote the filter of this view; update this one")
        case .unreadable(let name, let error):
            self.init(
                .configuration,
                "the filter of the view \(name) cannot be read here, perhaps a newer version wrote "
                    + "it: \("\(error)".shownInLine)")
        case .missing(let name):
            self.init(.usage, "there is no view '\(name.shownInLine)'")
        }
    }
}
