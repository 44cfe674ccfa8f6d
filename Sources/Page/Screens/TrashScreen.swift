import HTTP
import ToDo

/// The to-dos in the trash, each with a way back.
enum TrashScreen {
    private static let rowCount = 500

    static func show(_ context: PageContext) throws -> HTTPResponse {
        let limit = context.request.query("limit") == "0" ? nil : rowCount
        let (shown, count) = try context.todos.trash(limit: limit)
        let rows = try shown.map { try row($0, context) }
        var content: HTML =
            rows.isEmpty
            ? .paragraph("The trash is empty.", class: "empty")
            : context.form(
                "/do", class: "list", id: "list",
                .hidden("back", "/trash") + .element("ul", [.class("todos")], HTML(rows))
                    + .element(
                        "div", [.class("sure")],
                        .box("sure", "Purging cannot be undone: I am sure", isChecked: false)))
        if count > shown.count {
            content += .paragraph(
                HTML("\(shown.count) of \(count). ") + .link("/trash?limit=0", "Show all of them"))
        }
        return try PageLayout.page("Trash", screen: "trash", content, context)
    }

    private static func row(_ stored: Record, _ context: PageContext) throws -> HTML {
        let title = stored.shownTitle
        let value = ToDoRows.value(stored)
        var details: HTML = .nothing
        if let deletion = try context.todos.deletion(of: stored) {
            details = .span(
                "details",
                .span(
                    "by",
                    "deleted on " + .typed(deletion.device) + ", " + context.time(deletion.time)))
        }
        return .element(
            "li", [.set(.id, "t-\(stored.id.uuidText)"), .class("todo over")],
            [
                .link(stored.id.path, .typed(title), class: "title"), details,
                .span(
                    "operations shown",
                    [
                        .button(
                            "Restore", name: "restore", value: value, label: "Restore: \(title)"),
                        .button(
                            "Purge", name: "purge", value: value, class: "danger",
                            label: "Purge for good: \(title)"),
                    ]),
            ])
    }
}

/// Which devices and relays have a to-do, and what is in its way.
enum WhyScreen {
    static func show(_ stored: Record, _ context: PageContext) throws -> HTTPResponse {
        try StatusParts.why(stored, context)
    }
}
