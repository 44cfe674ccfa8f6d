import HTTP
import ToDo

/// The conflicts of devices: each value with its device and time, what was there before, and a form that decides.
enum ConflictScreen {
    /// The most conflicts that are shown at once.
    static let conflictCountMax = 200

    static func show(_ context: PageContext) throws -> HTTPResponse {
        let all = try context.todos.conflicts()
        let views = try context.todos.viewConflicts()
        let count = all.count + views.count
        var parts: [HTML] = []
        for (index, conflict) in all.prefix(conflictCountMax).enumerated() {
            guard let stored = try context.todos.stored(conflict.id) else { continue }
            parts.append(part(conflict, stored, index, context))
        }
        var content: HTML =
            count == 0
            ? .paragraph("No device disagrees with another.", class: "empty")
            : .paragraph(
                HTML(
                    count == 1
                        ? "1 question is open. What you decide holds on every device."
                        : "\(count) questions are open. What you decide holds on every device.")
            )
        content += HTML(parts)
        if all.count > conflictCountMax {
            content += .paragraph(HTML("\(all.count - conflictCountMax) more come then."))
        }
        content += HTML(
            views.prefix(conflictCountMax).enumerated().map { part($1, $0, context) })
        return try PageLayout.page("Conflicts", screen: "conflicts", content, context)
    }

    private static func part(
        _ conflict: ToDoConflict, _ stored: Record, _ index: Int, _ context: PageContext
    ) -> HTML {
        let id = "c\(index)"
        let heading = HTML.heading(
            .link(conflict.id.path, .typed(conflict.title.shownTitle(as: conflict.standing))),
            id: id)
        let inside =
            switch conflict.kind {
            case .field(let field, let candidates):
                ofField(field, candidates, conflict, stored, index, context)
            case .wasDeleted: wasDeleted(conflict, stored, context)
            case .editedAfterPurge(let kept): editedAfterPurge(kept, stored, context)
            }
        return .element(
            "section", [.class("conflict"), .set(.labelledBy, id)], heading + inside)
    }

    // MARK: A list of the user's own

    private static func part(
        _ found: SavedViewConflict, _ index: Int, _ context: PageContext
    ) -> HTML {
        let conflict = found.conflict
        let id = "v\(index)"
        let sides: [HTML]
        let told: HTML
        switch conflict.kind {
        case .field(let field, let candidates):
            told = "Two devices changed it. The first of these holds now."
            sides = candidates.map {
                author(of: $0, context) + ": " + value($0.value, field, context)
            }
        case .wasDeleted:
            told = HTML(
                "It was removed on one device while another changed it. It is "
                    + (conflict.standing == .live ? "kept now." : "removed now."))
            sides = deletion(conflict, context)
        case .editedAfterPurge(let kept):
            told = HTML(
                "It was purged on one device while another changed it. These changes are kept and shown "
                    + "nowhere else."
                    + (found.name == nil
                        ? " Its name is not known here: keep a list under its name, then let go of them."
                        : ""))
            sides = kept.flatMap { kept in
                kept.values.map {
                    author(of: $0, context) + ": " + value($0.value, kept.field, context)
                }
            }
        }
        let buttons = found.decisions.map { decision -> HTML in
            let choice: [HTML]
            switch decision {
            case .save([]):
                let isPurged = conflict.standing == .editedAfterPurge
                choice = [
                    .hidden("decide", ""),
                    .button(isPurged ? "Keep the list as it is" : "Keep it"),
                ]
            case .save(let words):
                let text = words.map(\.shellQuoted).joined(separator: " ")
                choice = [.hidden("decide", text), .button("Keep " + .typed(text))]
            case .remove:
                let isPurged = conflict.standing == .editedAfterPurge
                choice = [
                    .button(
                        isPurged ? "Let go of them for good" : "Remove it", name: "remove",
                        value: "1")
                ]
            }
            return context.form(
                "/views", class: "decide", HTML([.hidden("name", found.word ?? "")] + choice))
        }
        return .element(
            "section", [.class("conflict"), .set(.labelledBy, id)],
            .heading("List " + .typed(conflict.title), id: id) + .paragraph(told)
                + .list(sides, class: "sides") + HTML(buttons))
    }

    // MARK: A field

    private static func ofField(
        _ field: Field, _ candidates: [ToDoConflict.Candidate], _ conflict: ToDoConflict,
        _ stored: Record, _ index: Int, _ context: PageContext
    ) -> HTML {
        var choices: [HTML] = candidates.enumerated().map { position, candidate in
            choice(
                "c\(index)-\(position)", "\(position + 1)",
                value(candidate.value, field, context),
                author(of: candidate, context), isChecked: position == 0)
        }
        if ToDoStore.takesBoth(field) {
            choices.append(choice("c\(index)-both", "both", "Both, one after the other", .nothing))
        }
        let own = "c\(index)-text"
        let isLong = field == .number(ToDoSchema.Number.notes)
        let input: HTML =
            isLong
            ? .textArea(
                [.set(.id, own), .set(.name, "text"), .set(.rows, "4")], "")
            : .void(
                "input",
                [
                    .set(.type, "text"), .set(.id, own), .set(.name, "text"),
                    .set(.direction, "auto"),
                ])
        choices.append(
            choice("c\(index)-own", "own", "Another value:", .nothing)
                + .element(
                    "div", [.class("field own")],
                    .element("label", [.set(.forField, own), .class("quiet")], "Your own text")
                        + input))
        let base: HTML =
            conflict.base.map {
                .paragraph(
                    "Before that: " + .element("q", [], value($0, field, context)), class: "base")
            } ?? .nothing
        let name = HTML(ToDoSchema.name(of: field))
        return context.form(
            "/conflicts", class: "decide",
            [
                .hidden("id", stored.id.uuidText), .hidden("seen", stored.record.clock.seenText),
                .hidden("field", ToDoSchema.name(of: field)),
                .element(
                    "fieldset", [],
                    .element(
                        "legend", [], name + HTML(" has \(candidates.count) values")) + base
                        + HTML(choices)),
                .button("Decide", name: "operation", value: "decide", class: "main"),
            ])
    }

    private static func choice(
        _ id: String, _ value: String, _ text: HTML, _ details: HTML, isChecked: Bool = false
    ) -> HTML {
        .element(
            "div", [.class("choice")],
            [
                .void(
                    "input",
                    [
                        .set(.type, "radio"), .set(.id, id), .set(.name, "choice"),
                        .set(.value, value), .flag("checked", isChecked),
                    ]),
                .element(
                    "label", [.set(.forField, id)],
                    .span("value", text) + (details.isEmpty ? .nothing : .span("author", details))),
            ])
    }

    private static func value(_ value: Value, _ field: Field, _ context: PageContext) -> HTML {
        .typed(
            ToDoMapping.describe(value, of: field, now: context.now, zone: context.zone))
    }

    private static func words(
        _ device: String, _ isMine: Bool, _ time: Int64, _ context: PageContext
    ) -> HTML {
        .typed(device) + (isMine ? " (this device), " : ", ") + context.time(time)
    }

    private static func author(
        of candidate: ToDoConflict.Candidate, _ context: PageContext
    ) -> HTML {
        let giver = words(candidate.device, candidate.isMine, candidate.time, context)
        guard let putBack = candidate.putBack else { return giver }
        let putter =
            "put back by " + words(putBack.device, putBack.isMine, putBack.time, context)
        return putBack.isOriginKnown
            ? giver + "; " + putter : putter + "; who gave it first is not known here"
    }

    // MARK: Deleted, purged

    private static func wasDeleted(
        _ conflict: ToDoConflict, _ stored: Record, _ context: PageContext
    ) -> HTML {
        let isLive = conflict.standing == .live
        return .paragraph(
            HTML(
                "It was deleted on one device while another edited or restored it. It is "
                    + (isLive ? "in the list now." : "in the trash now.")))
            + .list(deletion(conflict, context), class: "sides")
            + operations([("keep", "Keep it"), ("delete", "Delete it")], stored, context)
    }

    /// Who deleted it, and what others wrote meanwhile.
    private static func deletion(_ conflict: ToDoConflict, _ context: PageContext) -> [HTML] {
        let deletes = conflict.deleters.map {
            words($0.device, $0.isMine, $0.time, context)
                + ($0.didPurge ? ": purged it" : ": deleted it")
        }
        let edits = conflict.unseenEdits.map { edit in
            words(edit.author.device, edit.author.isMine, edit.author.time, context) + ": "
                + .typed(context.journalWords.words(edit.field, edit.value))
        }
        return deletes + edits
    }

    private static func editedAfterPurge(
        _ kept: [ToDoConflict.KeptField], _ stored: Record, _ context: PageContext
    ) -> HTML {
        let pairs = kept.map { kept -> (name: HTML, value: HTML) in
            let values = kept.values.map {
                value($0.value, kept.field, context) + " — " + author(of: $0, context)
            }
            return (HTML(ToDoSchema.name(of: kept.field)), .list(values))
        }
        return .paragraph(
            "It was purged on one device while another edited it. These edits are kept and shown nowhere else."
        )
            + .pairs(pairs)
            + operations(
                [("copy", "Make a new to-do of them"), ("forget", "Let go of them for good")],
                stored,
                context)
    }

    private static func operations(
        _ operations: [(value: String, text: HTML)], _ stored: Record, _ context: PageContext
    ) -> HTML {
        context.form(
            "/conflicts", class: "decide",
            [
                .hidden("id", stored.id.uuidText), .hidden("seen", stored.record.clock.seenText),
                HTML(operations.map { .button($0.text, name: "operation", value: $0.value) }),
            ])
    }
}
