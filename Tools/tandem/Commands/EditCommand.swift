import Terminal
import ToDo

/// Changes to-dos.
enum EditCommand: Command {
    static let name = "edit"
    static let summary = "Change a to-do, by words or in your editor"
    static let help = """
          tandem edit 3 due:monday
          tandem edit 3 Buy oat milk +errand -later project:
          tandem edit milk x.size:L notes:the green one
          tandem edit 3
          tandem edit 1-3,7 due:sat
          tandem edit +OVERDUE due:today
          tandem edit --where "project:Home +errand" due:sat

        Keys are those of `tandem add`. `key:` alone clears a field, `-tag` removes a
        tag. Words without a key are the new title, unless they continue the value
        before them. Text after `notes:`, up to the next key or tag, is the notes.
        Without words, your editor ($VISUAL, $EDITOR) opens a form. Only the fields that
        you change there are saved, so edits by others meanwhile are kept.

        --where FILTER    all to-dos that match FILTER; asks if more than one (--yes: do
                          not ask)
        --dry-run         show what would change, and change nothing
        """
    static let values = ["where"]
    static let flags = ["dry-run"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        if let filter = arguments["where"] {
            let found = try Selection.find(try Selection.words(ofFilter: filter), context)
            return try editMany(found, arguments.words, asks: true, arguments, context)
        }
        guard let which = arguments.words.first else {
            throw CommandFailure(.usage, "say which, and what: tandem edit 3 due:monday")
        }
        let filter = try Selection.filter(insteadOfNames: [which])
        let found =
            try filter.map { try Selection.find($0, context) } ?? context.findAlive([which])
        guard found.count == 1, let stored = found.first else {
            return try editMany(
                found, Array(arguments.words.dropFirst()), asks: filter != nil, arguments, context)
        }
        if arguments.words.count == 1 {
            guard Screen.isPerson else {
                throw CommandFailure(.usage, "say what to change: tandem edit \(which) due:monday")
            }
            return try EditForm.run(stored, arguments, context)
        }
        let words = try ItemWords.parse(
            Array(arguments.words.dropFirst()), for: .editing, context)
        let old = ToDoMapping.item(stored)
        if let title = words.title, !arguments.words.contains("--"),
            title.allSatisfy({ $0.isNumber || $0 == " " })
        {
            let several = ([which[...]] + title.split(separator: " ")).joined(separator: ",")
            throw CommandFailure(
                .usage,
                "to change several to-dos, write: tandem edit \(several) due:monday; "
                    + "for the title '\(title)': tandem edit \(which) -- \(title)")
        }
        var new = old
        try ItemWords.apply(words, to: &new, context)
        if new == old, words == ToDoWords() {
            throw CommandFailure(.usage, "say what to change: tandem edit \(which) due:monday")
        }
        try ItemWords.check(new, before: old)
        if arguments.has("dry-run") {
            tell(old, new, "Would change", context)
            return .ok
        }
        defer { ItemWords.tell(words.hints) }
        let isChanged = try context.todos.edit(stored.id, from: old, to: new)
        return try finish(stored, old, new, isChanged: isChanged, arguments, context)
    }

    /// Tells what came of one edit.
    static func finish(
        _ stored: Record, _ old: ToDoItem, _ new: ToDoItem, isChanged: Bool,
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        if arguments.has("json") {
            guard let stored = try context.todos.stored(stored.id) else { return .software }
            Screen.line(try JSONOutput.item(stored, context.todos))
        } else if isChanged {
            tell(old, new, "Changed", context)
        } else {
            Screen.line("Nothing to change: \(new.shownTitle)")
            if !stored.record.fieldConflicts.isEmpty {
                Screen.error(
                    "tandem: it has a conflict; decide it with: tandem resolve \(stored.id.tail)\n"
                )
            }
        }
        return .ok
    }

    private static func tell(
        _ old: ToDoItem, _ new: ToDoItem, _ verb: String, _ context: CommandContext
    ) {
        var changed = old
        for field in ToDoDateField.allCases {
            changed[field] = new[field] == old[field] ? nil : new[field]
        }
        let before = old.title == new.title ? "" : " (was: \(old.shownTitle))"
        let again =
            new.anchor == old.anchor
                && new.repeatsShown(in: context.zone) == old.repeatsShown(in: context.zone)
            ? ""
            : new.repeats.isEmpty ? "; comes no more" : "; \(new.repeatsShown(in: context.zone))"
        let rest = cleared(old, new) + EditMessages.details(new, besides: old)
        Screen.paragraph(
            "\(verb): \(new.shownTitle)\(before)\(EditMessages.dates(changed, context))\(again)"
                + rest.map { "; \($0)" }.joined(), hanging: 2)
    }

    /// Returns the cleared fields: "no due", "no project".
    private static func cleared(_ old: ToDoItem, _ new: ToDoItem) -> [String] {
        let dates = ToDoDateField.allCases.filter { old[$0] != nil && new[$0] == nil }
            .map(\.rawValue)
        let others: [(String, (ToDoItem) -> Bool)] = [
            ("project", { $0.project.isEmpty }), ("tags", { $0.tags.isEmpty }),
            ("priority", { $0.priority == .none }), ("location", { $0.location.isEmpty }),
            ("people", { $0.people.isEmpty }), ("notes", { $0.notes.isEmpty }),
        ]
        return (dates + others.filter { !$0.1(old) && $0.1(new) }.map(\.0)).map { "no \($0)" }
    }

    private static func editMany(
        _ found: [Record], _ changes: [String], asks: Bool, _ arguments: Arguments,
        _ context: CommandContext
    ) throws -> ExitCode {
        let words = try ItemWords.parse(changes, for: .editing, context)
        if words.title != nil || words.assignments.contains(where: isTitle) {
            throw CommandFailure(
                .usage,
                "these are \(EditMessages.count(found.count)), and a title is changed one by one")
        }
        if words == ToDoWords() {
            throw CommandFailure(.usage, "say what to change: tandem edit +errand due:monday")
        }
        let edits = try found.map { stored in
            let old = ToDoMapping.item(stored)
            var new = old
            try ItemWords.apply(words, to: &new, context)
            return (id: stored.id, old: old, new: new)
        }.filter { $0.old != $0.new }
        if edits.isEmpty {
            Screen.line("Nothing to change in \(EditMessages.count(found.count))")
            return .ok
        }
        if arguments.has("dry-run") {
            for edit in edits { tell(edit.old, edit.new, "Would change", context) }
            return .ok
        }
        let meant = found.filter { stored in edits.contains { $0.id == stored.id } }
        if asks { try Selection.confirmMany(meant, "Change", arguments) }
        let changed = try context.todos.edit(edits)
        if arguments.has("json") {
            let stored = try edits.compactMap { try context.todos.stored($0.id) }
            Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
            return .ok
        }
        for edit in edits where changed.contains(edit.id) {
            tell(edit.old, edit.new, "Changed", context)
        }
        return .ok
    }

    private static func isTitle(_ assignment: ToDoAssignment) -> Bool {
        if case .title = assignment { true } else { false }
    }
}
