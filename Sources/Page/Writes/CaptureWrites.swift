import HTTP
import ToDo

/// Makes a to-do of a typed line, with the words of `tandem add`.
enum CaptureWrites {
    /// The meaning of a line.
    struct Captured {
        let item: ToDoItem
        let hints: [ToDoWordHint]
        /// The context that a part of it came from.
        let source: ToDoContext?
        /// The titles of those that it waits for.
        let waits: [String]
    }

    static func add(_ context: PageContext) throws -> HTTPResponse {
        let line = try context.field("line")
        let captured: Captured
        do {
            captured = try read(line, context)
        } catch {
            // The screen comes back with the typed text.
            return try refused(line, PageFaultWords.words(error), context)
        }
        let id = try context.todos.add(captured.item)
        context.naming.setLatest(id)
        context.tell(
            "Added: " + .link(id.path, .typed(captured.item.shownTitle))
                + HTML(tail(captured, context).map { "; \($0)" }.joined()),
            undo: try UndoWrites.button(context))
        for hint in captured.hints.prefix(5) { context.tell(HTML("\(hint)")) }
        return context.redirect()
    }

    private static func refused(
        _ line: String, _ words: String, _ context: PageContext
    ) throws -> HTTPResponse {
        context.tellRefused(HTML(words))
        return try PageLayout.page(
            "New to-do", screen: "add", status: 422,
            context.form(
                "/add", class: "capture",
                [
                    .hidden("back", context.form["back"] ?? "/"),
                    .field("line", "New to-do", line, [.set(.type, "text"), .flag("autofocus")]),
                    .button("Add"),
                ]), context)
    }

    /// How a line is understood, while it is typed.
    static func echo(_ context: PageContext) throws -> HTTPResponse {
        let line = context.request.query("line") ?? ""
        if line.allSatisfy(\.isWhitespace) { return PageService.response(200, .nothing) }
        do {
            let captured = try read(line, context)
            let words = [captured.item.shownTitle] + tail(captured, context)
            let hints = captured.hints.prefix(3).map { HTML.span("hint", HTML(" \($0)")) }
            return PageService.response(
                200,
                .span("good", HTML(words.joined(separator: "; "))) + HTML(Array(hints)))
        } catch {
            return PageService.response(200, .span("bad", HTML(PageFaultWords.words(error))))
        }
    }

    /// The words of `add` behind the title.
    private static func tail(_ captured: Captured, _ context: PageContext) -> [String] {
        let echo = ToDoEcho(now: context.now, zone: context.zone) { text in
            text.count > 48 ? text.prefix(47) + "…" : text
        }
        let item = captured.item
        let again = item.repeats.isEmpty ? [] : [item.repeatsShown(in: context.zone)]
        let waits =
            captured.waits.isEmpty
            ? [] : ["waits for \(captured.waits.joined(separator: ", "))"]
        let source = captured.source.map { ["by context \($0.name)"] } ?? []
        return echo.dates(item) + again + echo.details(item) + waits + source
    }

    private static func read(_ line: String, _ context: PageContext) throws -> Captured {
        guard line.utf8.count <= CaptureForm.lineByteCountMax else {
            throw PageWordsFault.tooLong
        }
        guard let typed = ShellWords.split(line) else { throw PageWordsFault.openQuote }
        let words = try ToDoWords.parse(
            typed, for: .adding, now: context.now, zone: context.zone,
            weekStart: context.settings.weekStart, dateOrder: context.settings.user.dateOrder)
        var item = ToDoItem(title: "")
        try apply(words, to: &item, context)
        guard item.hasTitle else { throw PageWordsFault.untitled }
        let chosen = try context.chosenContext()
        let source = chosen?.apply(to: &item, typed: words)
        let waits = try item.depends.compactMap {
            try context.todos.stored(RecordID(value: $0))?.shownTitle
        }
        return Captured(
            item: item, hints: words.hints + context.todos.hints(item, before: nil),
            source: source, waits: waits)
    }

    /// Changes a to-do as words say; other to-dos are found by their numbers, ids or titles.
    static func apply(
        _ words: ToDoWords, to item: inout ToDoItem, _ context: PageContext
    ) throws {
        var above: UInt128??
        if let word = words.parent {
            above = .some(try parent(word, of: item, context))
        }
        var depends: [UInt128]?
        if !words.depends.isEmpty {
            do {
                depends = try context.todos.depends(words.depends, of: item) { name, _ in
                    try context.naming.find([name], in: .alive).map(\.id)
                }
            } catch is ToDoStore.DependencyCycle {
                throw PageWordsFault.circle
            }
        }
        try context.todos.apply(words, to: &item, parent: above, depends: depends)
    }

    private static func parent(
        _ word: String, of item: ToDoItem, _ context: PageContext
    ) throws -> UInt128? {
        if word.isEmpty { return nil }
        let found = try context.naming.find([word], in: .alive)
        guard found.count == 1, let whole = found.first else { throw ToDoNameFault.nothing(word) }
        guard whole.standing == .live else { throw PageWordsFault.inTrash(whole.shownTitle) }
        guard try context.todos.canBePart(item.identifier, of: whole.id) else {
            throw PageWordsFault.circle
        }
        return whole.id.value
    }
}
