import Devices
import HTTP
import ToDo

/// All of a to-do, and the form that changes it.
enum ToDoScreen {
    /// The longest notes that the form takes, in bytes: they are sent along as they were, too.
    static let notesByteCountMax = 200_000

    static func show(_ stored: Record, _ context: PageContext) throws -> HTTPResponse {
        context.device.recentRecords.touch([stored.id], at: context.now)
        let item = ToDoMapping.item(stored)
        let draft = Draft(
            values: [:], notes: nil, base: item, seen: stored.record.clock.seenText)
        return try page(stored, draft, context)
    }

    /// The contents of the form: by default what the to-do shows, else what was typed and not saved.
    struct Draft {
        var values: [String: String]
        var notes: String?
        /// The to-do as the author of the form saw it.
        let base: ToDoItem
        /// The writes that the author of the form had seen.
        let seen: String
        /// The obstacle to saving it.
        var fault: HTML?
        /// Whether the form may bring the to-do back and save then.
        var offersRestore = false
    }

    static func page(
        _ stored: Record, _ draft: Draft, status: Int = 200, _ context: PageContext
    ) throws -> HTTPResponse {
        let isPurged = stored.standing.isPurged
        var content: HTML = .nothing
        if let fault = draft.fault {
            content += .element("div", [.class("fault"), .set(.role, "alert")], fault)
        }
        content += try standing(stored, context)
        content += conflicts(try context.todos.conflicts(of: stored.id))
        if stored.standing == .live { content += operations(stored, context) }
        if stored.standing == .live || draft.offersRestore {
            content += form(stored, draft, context)
        }
        if !isPurged { content += try facts(stored, context) }
        content += .list(
            [
                .link("\(stored.id.path)/history", "Who changed what, and when"),
                .link("\(stored.id.path)/why", "Which devices have it"),
            ], class: "ways")
        return try PageLayout.page(
            stored.shownTitle, screen: "todo", status: status, content, context)
    }

    /// Whether it is in the trash or purged, who put it there, and the way back.
    private static func standing(_ stored: Record, _ context: PageContext) throws -> HTML {
        if stored.standing == .live { return .nothing }
        var words: HTML = "It " + HTML(stored.standing.predicate)
        if let deletion = try context.todos.deletion(of: stored) {
            words +=
                ": " + .typed(deletion.device) + ", " + context.time(deletion.time)
        }
        let value = ToDoRows.value(stored)
        let back: HTML =
            stored.standing == .trashed
            ? context.form(
                "/do", class: "inline",
                [
                    .hidden("back", stored.id.path),
                    .button("Restore", name: "restore", value: value),
                ]) : .nothing
        return .element("div", [.class("standing")], .paragraph(words) + back)
    }

    private static func conflicts(_ conflicts: [ToDoConflict]) -> HTML {
        if conflicts.isEmpty { return .nothing }
        return .paragraph(
            "Devices disagree on it: " + .link("/conflicts", "decide"), class: "flag")
    }

    private static func operations(_ stored: Record, _ context: PageContext) -> HTML {
        let item = ToDoMapping.item(stored)
        let value = ToDoRows.value(stored)
        func button(_ text: HTML, _ name: String) -> HTML {
            .button(text, name: name, value: value)
        }
        var parts = HTML.hidden("back", stored.id.path)
        if item.status == .pending {
            parts += [
                button("Done", "done"),
                item.isActive(now: context.calendar.now, zone: context.calendar.zone)
                    ? button("Stop the timer", "stop") : button("Start the timer", "start"),
                button("Due tomorrow", "tomorrow"),
            ]
            if ToDoStore.obstacle(toSkipping: item) == nil {
                parts += button("Skip this time", "skip")
            }
            parts += button("Cancel it", "cancel")
        } else {
            parts += button("Reopen", "reopen")
        }
        parts += button("Delete", "delete")
        return context.form("/do", class: "operations", label: "What to do with it", parts)
    }

    private static let names: [String: HTML] = [
        "title": "Title", "project": "Project", "priority": "Priority", "status": "Status",
        "due": "Due", "scheduled": "Planned for", "wait": "Hidden until",
        "until": "Pointless after",
        "start": "Work began", "finish": "Work ended", "repeat": "Comes again",
        "except": "Not on these days", "remind": "Reminders", "tags": "Tags", "people": "People",
        "location": "Location",
    ]

    private static let hints: [String: HTML] = [
        "due": "tomorrow, fri 17:00, 2026-12-24", "repeat": "weekly, every 2 months, mon,thu",
        "tags": "with commas between them", "people": "with commas between them",
        "remind": "-1d, tomorrow 9am",
    ]

    /// The fields that stand first, in their order.
    private static let firstKeys = ["title", "project", "due", "priority", "tags"]

    /// The prefix of the names of the fields that are the to-do's.
    static let fieldPrefix = "field."

    private static func form(
        _ stored: Record, _ draft: Draft, _ context: PageContext
    ) -> HTML {
        var parts: HTML = [
            .hidden("base", JSONLinesFormat.line(draft.base)), .hidden("seen", draft.seen),
        ]
        let fields = ToDoForm(draft.base, zone: context.zone).fields.map { key, text in
            (key: key, text: draft.values[key] ?? text)
        }
        for key in firstKeys {
            if let found = fields.first(where: { $0.key == key }) {
                parts += field(key, found.text)
            }
        }
        if draft.base.notes.utf8.count <= notesByteCountMax {
            let notes = draft.notes ?? draft.base.notes
            parts += .labelled(
                "f-notes", "Notes",
                .textArea(
                    [.set(.id, "f-notes"), .set(.name, "notes"), .set(.rows, "8")], notes))
        }
        let more = HTML.field(
            "more", "More, in words", draft.values["more"] ?? "",
            hint: "depends:title of another, parent:title of another, +tag, x.name:value")
        let rest = fields.filter { !firstKeys.contains($0.key) }
        // Closed, it hides nothing that says anything.
        let isUsed = rest.contains { !$0.text.isEmpty && $0.key != "status" }
        parts += .element(
            "details", [.flag("open", isUsed)],
            .element("summary", [], "More fields")
                + .element(
                    "div", [.class("rest")], HTML(rest.map { field($0.key, $0.text) }) + more))
        if draft.offersRestore {
            parts += .button("Restore it and save", name: "restore", value: "1", class: "main")
        } else {
            parts += .button("Save", class: "main")
        }
        return context.form(
            stored.id.path, class: "edit", label: "Change it", id: "edit", parts)
    }

    private static func field(_ key: String, _ value: String) -> HTML {
        let name = fieldPrefix + key
        switch key {
        case "priority":
            let words = ToDoPriority.allCases.map { (value: $0.word, text: HTML($0.word)) }
            return .choice(
                name, "Priority", words, chosen: value.isEmpty ? "none" : value)
        case "status":
            let words = ToDoStatus.allCases.map { (value: $0.rawValue, text: HTML($0.rawValue)) }
            return .choice(name, "Status", words, chosen: value)
        default:
            return .field(
                name, names[key] ?? HTML(key), value, hint: hints[key],
                [.set(.type, "text"), .set(.autocomplete, "off"), .set(.direction, "auto")])
        }
    }

    /// The facts that the form does not have.
    private static func facts(_ stored: Record, _ context: PageContext) throws -> HTML {
        let item = try context.todos.item(stored)
        func links(_ records: [Record]) -> HTML {
            .list(
                records.map { record in
                    let isOver = ToDoMapping.item(record).status != .pending
                    return .link(record.id.path, .typed(record.shownTitle))
                        + (isOver ? " (finished)" : "")
                })
        }
        var pairs: [(name: HTML, value: HTML)] = []
        if stored.standing != .live {
            pairs.append(("Notes", item.notes.isEmpty ? .nothing : .typed(item.notes)))
        }
        if let parent = item.parent,
            let above = try context.todos.stored(RecordID(value: parent))
        {
            pairs.append(("Part of", links([above])))
        }
        let parts = try context.todos.list(
            ToDoFilter([.parent(stored.id.value)]), pendingOnly: false)
        pairs.append(("Parts", links(parts)))
        pairs.append(("Waits for", links(try context.todos.dependencies(of: stored))))
        pairs.append(
            ("Blocks", links(try context.todos.waiting(of: [stored])[stored.id]?.blocks ?? [])))
        for reference in try context.todos.hiddenReferences(of: stored) {
            let given = reference.kind == .parent ? "Given as its whole" : "Given to wait for"
            let why = reference.isToDeleted ? "is deleted" : "closes a circle"
            pairs.append(
                (HTML("\(given), which \(why) and does not count"), links([reference.target])))
        }
        if !item.work.isEmpty {
            let worked = WorkInterval.milliseconds(
                item.work, within: 0..<Int64.max, now: context.now)
            pairs.append(
                (
                    "Worked",
                    HTML(WorkInterval.clock(worked) + (item.isInProcess ? ", and running" : ""))
                ))
        }
        pairs.append(("Comes again", HTML(item.repeatsShown(in: context.zone))))
        for (name, time) in [
            ("Completed", item.completed), ("Created", item.created), ("Changed", item.modified),
        ] {
            pairs.append((HTML(name), time.map(context.time) ?? .nothing))
        }
        pairs.append(("Id", HTML(stored.id.uuidText)))
        return .element(
            "section", [.class("facts"), .set(.label, "More about it")], .pairs(pairs))
    }
}
