import ToDo

/// To-dos in lists, each with a box that finishes it and a link to all of it.
struct ToDoRows {
    let context: PageContext
    /// Whether rows have buttons besides the box: a list of thousands has none, and each to-do's own screen has them.
    let hasButtons: Bool
    /// The texts that a filter looks for.
    let searched: [String]

    /// The most rows with buttons of their own.
    static let buttonRowCountMax = 1_000

    init(_ context: PageContext, count: Int, searched: [String] = []) {
        self.context = context
        hasButtons = count <= Self.buttonRowCountMax
        self.searched = searched
    }

    /// The most rows of one form: in a form of thousands of buttons a browser takes seconds for its parser.
    private static let formRowCountMax = 250

    /// Sections below each other, in forms whose buttons name an operation and a to-do.
    func list(_ sections: [ToDoSection]) -> HTML {
        var parts: HTML = .nothing
        for (index, section) in sections.enumerated() {
            let id = "s\(index)"
            let rows = forms(section.rows)
            if section.title.isEmpty {
                parts += rows
                continue
            }
            parts += .element(
                "section", [.set(.labelledBy, id)],
                .heading(.typed(section.title), id: id) + rows)
        }
        return .element("div", [.set(.id, "list")], parts)
    }

    private func forms(_ rows: [ToDoRow]) -> HTML {
        let back = HTML.hidden("back", context.path)
        var parts: HTML = .nothing
        for start in stride(from: 0, to: rows.count, by: Self.formRowCountMax) {
            let some = rows[start..<min(start + Self.formRowCountMax, rows.count)]
            parts += context.form(
                "/do", class: "list",
                back + .element("ul", [.class("todos")], HTML(some.map(row))))
        }
        return parts
    }

    /// The value of a button: the to-do, and what was seen of it.
    static func value(_ stored: Record) -> String {
        "\(stored.id.uuidText) \(stored.record.clock.seenText)"
    }

    func row(_ row: ToDoRow) -> HTML {
        let item = row.item
        let title = row.stored.shownTitle
        let value = Self.value(row.stored)
        var parts = box(row, title, value)
        parts += .element(
            "a", [.href(row.id.path), .class("title")], found(title))
        parts += details(row)
        if hasButtons { parts += buttons(row, title, value) }
        var names = ["todo"]
        if item.status != .pending { names.append("over") }
        if item.priority == .high, item.status == .pending { names.append("high") }
        if row.isActive { names.append("running") }
        if row.depth > 0 { names.append("depth\(min(row.depth, 4))") }
        if row.isInConflict { names.append("conflict") }
        return .element(
            "li",
            [.set(.id, "t-\(row.id.uuidText)"), .class(names.joined(separator: " "))], parts)
    }

    private func box(_ row: ToDoRow, _ title: String, _ value: String) -> HTML {
        let isOpen = row.item.status == .pending
        let mark: HTML =
            switch row.item.status {
            case .pending: .nothing
            case .completed: "✓"
            case .cancelled: "–"
            }
        let isCancelled = row.item.status == .cancelled
        return .checkBox(
            .element("span", [.set(.hidden, "true")], mark), name: isOpen ? "done" : "reopen",
            value: value, class: "box", label: isCancelled ? "\(title), cancelled" : title,
            isChecked: !isOpen)
    }

    /// The title with the searched texts marked.
    private func found(_ title: String) -> HTML {
        if searched.isEmpty { return .typed(title) }
        return .element(
            "bdi", [],
            HTML(
                FoundText.parts(of: title, holding: searched).map {
                    $0.isFound ? .element("mark", [], HTML($0.text)) : HTML($0.text)
                }))
    }

    /// The details beside the title.
    private func details(_ row: ToDoRow) -> HTML {
        let item = row.item
        var parts: [HTML] = []
        if row.isInConflict { parts.append(.span("flag", "in conflict")) }
        if row.isApart { parts.append(.span("part", "part of another")) }
        if row.isActive { parts.append(.span("flag run", "running")) }
        if item.priority != .none, item.status == .pending {
            parts.append(.span("priority", HTML("\(item.priority.word) priority")))
        }
        let date = ListedDate(item, in: context.calendar)
        if let text = ListedDate.texts(
            of: [date], DatePhrase.Width.allCases[0], in: context.calendar
        ).first, !text.isEmpty {
            let isLate = context.calendar.has(item, .overdue)
            parts.append(
                .span(isLate ? "date late" : "date", HTML(isLate ? "overdue: \(text)" : text)))
        }
        if !item.project.isEmpty { parts.append(.span("project", .typed(item.project))) }
        for tag in item.tags { parts.append(.span("tag", .typed("+" + tag))) }
        for (word, ends) in [("waits for", row.waiting.waitsFor), ("blocks", row.waiting.blocks)]
        where !ends.isEmpty {
            let titles = ends.prefix(2).map { HTML.typed($0.shownTitle) }
            let rest = ends.count > 2 ? HTML(" and \(ends.count - 2) more") : .nothing
            parts.append(
                .span("waits", HTML(word) + " " + Self.joined(titles) + rest))
        }
        if !searched.isEmpty, let found = FoundText(of: searched, in: item.notes) {
            let cut = found.cut(to: FoundText.characterCountMax) { $0.count }
            parts.append(
                .span(
                    "found",
                    HTML(cut.before) + .element("mark", [], HTML(cut.found)) + HTML(cut.after)))
        }
        return parts.isEmpty ? .nothing : .span("details", HTML(parts))
    }

    private func buttons(_ row: ToDoRow, _ title: String, _ value: String) -> HTML {
        var parts: [HTML] = []
        func add(_ text: HTML, _ operation: String, _ word: String) {
            parts.append(
                .button(text, name: operation, value: value, label: "\(word): \(title)"))
        }
        if row.item.status == .pending {
            if row.isActive {
                add("Stop", "stop", "Stop")
            } else {
                add("Start", "start", "Start")
            }
            add("Tomorrow", "tomorrow", "Due tomorrow")
        }
        add("Delete", "delete", "Delete")
        return .span("operations", HTML(parts))
    }

    static func joined(_ parts: [HTML]) -> HTML {
        HTML(parts.enumerated().flatMap { $0.offset == 0 ? [$0.element] : [", ", $0.element] })
    }
}
