import Terminal
import ToDo

/// A change that words ask for, of one to-do or of several.
struct ItemEdit {
    private let words: ToDoWords
    private let arguments: Arguments

    /// A change, and the options of its command.
    init(_ words: ToDoWords, _ arguments: Arguments) {
        self.words = words
        self.arguments = arguments
    }

    /// Changes the to-dos that the first word names as the words behind it say.
    ///
    /// - Parameter example: a line that would do.
    static func run(
        _ arguments: Arguments, for purpose: ToDoWords.Purpose, example: String
    ) throws -> ExitCode {
        let context = try CommandContext.open(
            arguments, onlyReads: arguments.has("dry-run"))
        guard arguments.words.count > 1 else {
            throw CommandFailure(.usage, "say which, and what: \(example)")
        }
        let words = try ItemWords.parse(Array(arguments.words.dropFirst()), for: purpose, context)
        let target = try Selection.first(arguments, context)
        if let text = words.title,
            let name = TargetName(
                purpose == .prepending ? PrependCommand.name : AppendCommand.name, arguments,
                target, context)
        {
            try name.refuseIfLonger(by: text)
        }
        return try ItemEdit(words, arguments).of(target, context)
    }

    /// Changes the to-dos that the first word names; asks if a filter chose more than one.
    func of(
        _ target: (found: [Record], isByFilter: Bool), _ context: CommandContext
    ) throws -> ExitCode {
        if target.found.count == 1 { return try of(target.found[0], context) }
        return try ofMany(target.found, asks: target.isByFilter, context)
    }

    /// Changes one.
    private func of(_ stored: Record, _ context: CommandContext) throws -> ExitCode {
        let old = ToDoMapping.item(stored)
        try refuseIfNotFound(in: [old])
        let new = try edited(old, context)
        if new == old, words == ToDoWords() {
            throw CommandFailure(
                .usage,
                "say what to change, for example: \(AdvisedLine.program) \(EditCommand.name) 3 due:monday"
            )
        }
        try ItemWords.check(new, before: old)
        if arguments.has("dry-run") {
            try Self.tell(old, new, "Would change", context)
            return .ok
        }
        defer {
            ItemWords.tell(
                words.hints + context.todos.hints(new, before: old), title: new.title)
        }
        let isChanged = try context.todos.edit(stored.id, from: old, to: new)
        context.naming.setLatest(stored.id)
        return try Self.finish(stored, old, new, isChanged: isChanged, arguments, context)
    }

    /// Changes several, all of them or none.
    func ofMany(_ found: [Record], asks: Bool, _ context: CommandContext) throws -> ExitCode {
        let isTitle = words.assignments.contains { if case .title = $0 { true } else { false } }
        if isTitle || words.title != nil && words.titleChange == .replace {
            throw CommandFailure(
                .usage,
                "these are \(EditMessages.count(found.count)), and a title is changed one by one")
        }
        if words == ToDoWords() {
            throw CommandFailure(
                .usage,
                "say what to change, for example: \(AdvisedLine.program) \(EditCommand.name) +errand due:monday"
            )
        }
        let items = found.map { ToDoMapping.item($0) }
        try refuseIfNotFound(in: items)
        let edits = try zip(found, items).map { stored, old in
            (id: stored.id, old: old, new: try edited(old, context))
        }.filter { $0.old != $0.new }
        for edit in edits { try ItemWords.check(edit.new, before: edit.old) }
        if edits.isEmpty {
            if arguments.has("json") {
                Screen.line(JSONOutput.array(try JSONOutput.items(found, context.todos)))
            } else {
                Screen.line("Nothing to change: \(EditMessages.titles(items))")
            }
            return .ok
        }
        if arguments.has("dry-run") {
            for edit in edits { try Self.tell(edit.old, edit.new, "Would change", context) }
            return .ok
        }
        // Looked up, as there may be thousands of them.
        let before = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let meant = edits.compactMap { before[$0.id] }
        if asks { try Selection.confirmMany(meant, "Change", arguments, context) }
        let changed = try context.todos.edit(edits)
        if let last = edits.last(where: { changed.contains($0.id) }) {
            context.naming.setLatest(last.id)
        }
        if arguments.has("json") {
            let stored = try edits.compactMap { try context.todos.stored($0.id) }
            Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
            return .ok
        }
        for edit in edits where changed.contains(edit.id) {
            try Self.tell(edit.old, edit.new, "Changed", context)
            if let stored = before[edit.id] {
                Self.tellDropped(stored, edit.old, edit.new, context)
            }
            try StatusChange.tellNext(of: edit.old, edit.new, context)
        }
        var hints = words.hints
        for edit in edits {
            let more = context.todos.hints(edit.new, before: edit.old)
            hints += more.filter { !hints.contains($0) }
        }
        ItemWords.tell(hints, title: nil)
        return .ok
    }

    private func edited(_ old: ToDoItem, _ context: CommandContext) throws -> ToDoItem {
        var new = old
        guard words.substitution?.isFound(in: old) ?? true else { return old }
        try ItemWords.apply(words, to: &new, context)
        return new
    }

    private func refuseIfNotFound(in items: [ToDoItem]) throws {
        guard let substitution = words.substitution,
            !items.contains(where: substitution.isFound)
        else { return }
        throw CommandFailure(
            .nothing,
            "'\(substitution.pattern.shownInLine)' is "
                + (substitution.isLineOfNotes
                    ? "in no line of the notes; nothing was changed"
                    : "neither in the title nor in the notes; nothing was changed "
                        + "(words after -- are plain text)"))
    }

    // MARK: Telling

    /// Tells what came of one edit.
    static func finish(
        _ stored: Record, _ old: ToDoItem, _ new: ToDoItem, isChanged: Bool,
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        if arguments.has("json") {
            guard let stored = try context.todos.stored(stored.id) else { return .software }
            Screen.line(try JSONOutput.item(stored, context.todos))
        } else if isChanged {
            try tell(old, new, "Changed", context)
            tellDropped(stored, old, new, context)
            try StatusChange.tellNext(of: old, new, context)
        } else {
            Screen.line("Nothing to change: \(new.shownTitle)")
            if !stored.record.fieldConflicts.isEmpty {
                Screen.error(
                    "tandem: it has a conflict; decide it with: \(AdvisedLine.program) resolve \(context.end(of: stored.id))\n"
                )
            }
        }
        return .ok
    }

    /// Tells what an edit of a field in conflict took away: nobody sees it any more.
    private static func tellDropped(
        _ stored: Record, _ old: ToDoItem, _ new: ToDoItem, _ context: CommandContext
    ) {
        let words = JournalWords(context.todos)
        let dropped = ToDoStore.valuesDropped(by: new, from: old, of: stored)
            .map { words.words($0.field, $0.value) }
        if dropped.isEmpty { return }
        Screen.paragraph(
            "  It ends a conflict, and takes away \(dropped.joined(separator: "; ")) "
                + "(back with: \(AdvisedLine.program) undo)", hanging: 2)
    }

    static func tell(
        _ old: ToDoItem, _ new: ToDoItem, _ verb: String, _ context: CommandContext
    ) throws {
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
        let rest =
            cleared(old, new) + EditMessages.details(new, besides: old, context)
            + (try EditMessages.whole(new, besides: old, context))
            + (try EditMessages.waits(new, besides: old, context))
        // A number goes on naming a to-do that is over: the person may have meant another.
        let standing = new.status == .pending ? "" : " (\(new.status.rawValue))"
        Screen.paragraph(
            "\(verb): \(new.shownTitle)\(standing)\(before)\(EditMessages.dates(changed, context))\(again)"
                + rest.map { "; \($0)" }.joined(), hanging: 2)
    }

    /// Returns the cleared fields: "no due", "no project".
    private static func cleared(_ old: ToDoItem, _ new: ToDoItem) -> [String] {
        let dates = ToDoDateField.allCases.filter { old[$0] != nil && new[$0] == nil }
            .map(\.rawValue)
        let others: [(String, (ToDoItem) -> Bool)] = [
            ("project", { $0.project.isEmpty }), ("tags", { $0.tags.isEmpty }),
            ("priority", { $0.priority == .none }), ("location", { $0.location.isEmpty }),
            ("people", { $0.people.isEmpty }), ("remind", { $0.reminders.isEmpty }),
            ("notes", { $0.notes.isEmpty }),
        ]
        let custom = old.custom.keys.filter { new.custom[$0] == nil }.sorted()
        return
            (dates + others.filter { !$0.1(old) && $0.1(new) }.map(\.0)
            + custom.map { "x.\($0.shownInLine)" }).map { "no \($0)" }
    }
}
