import HTTP
import ToDo

/// Takes in to-dos from the text of a file: first what would come of it, then the import.
enum ImportScreen {
    /// The most steps that are listed.
    private static let stepCountMax = 200

    static func show(_ context: PageContext) throws -> HTTPResponse {
        try page(text: "", format: "", .nothing, context)
    }

    private static func page(
        text: String, format: String, status: Int = 200, _ result: HTML, canImport: Bool = false,
        _ context: PageContext
    ) throws -> HTTPResponse {
        let formats =
            [(value: "", text: HTML("as its name tells"))]
            + ToDoFormats.all.map { type in
                (value: type.profile.name, text: HTML(type.profile.family))
            }
        let inside: HTML = [
            .labelled(
                "f-file", "File",
                .void(
                    "input",
                    [
                        .set(.type, "file"), .set(.id, "f-file"), .set(.name, "file"),
                        .set(.describedBy, "f-file-hint"),
                    ]),
                "Or put its text below."),
            .labelled(
                "f-text", "Its text",
                .textArea(
                    [.set(.id, "f-text"), .set(.name, "text"), .set(.rows, "8")], text)),
            .void(
                "input",
                [
                    .set(.type, "hidden"), .set(.id, "f-name"), .set(.name, "name"),
                    .set(.value, fileName(context)),
                ]),
            .choice("format", "Format", formats, chosen: format),
            .button(
                "See what would come of it", name: "operation", value: "rehearse", class: "main"),
            canImport
                ? .button("Import", name: "operation", value: "import", class: "main") : .nothing,
        ]
        return try PageLayout.page(
            "Import", screen: "import", status: status,
            .paragraph(
                "Taskwarrior, iCalendar, todo.txt, CSV, Todoist, ChronoList or JSON lines. Importing a file again updates its to-dos and makes no duplicates."
            )
                + context.form("/import", class: "edit", id: "import", carriesFile: true, inside)
                + result, context)
    }

    /// The name of the file, of this form or of the one before it.
    private static func fileName(_ context: PageContext) -> String {
        context.form.file?.name ?? context.form["name"] ?? ""
    }

    static func run(_ context: PageContext) throws -> HTTPResponse {
        let name = try context.field("format")
        let bytes = try context.form.file?.bytes ?? Array(context.field("text").utf8)
        // A file that is no text is chosen once more for the import.
        let text = String(validating: bytes, as: UTF8.self) ?? ""
        if FormatReading.isEmptyFile(bytes) {
            context.tellRefused("There is nothing in it, so nothing was imported.")
            return try page(text: text, format: name, status: 422, .nothing, context)
        }
        do {
            let reader = try reader(name, bytes, context)
            let reading = try reader.read(bytes)
            guard reading.faults.isEmpty else {
                let faults = reading.faults.prefix(20).map { HTML("\($0)") }
                return try page(
                    text: text, format: name, status: 422,
                    .element(
                        "div", [.class("fault"), .set(.role, "alert")],
                        .paragraph("Some entries are wrong, so nothing was imported.")
                            + .list(Array(faults))), context)
            }
            if context.form["operation"] == "import" {
                let steps = try context.todos.importFile(
                    reading, revives: false, echo: reader.echo)
                let summary = ImportSummary(steps)
                context.tell(
                    HTML(
                        "Imported: \(summary.madeCount) new, \(summary.updatedCount) updated, "
                            + "\(summary.unchangedCount) as they were."),
                    undo: try UndoWrites.button(context))
                return context.redirect("/")
            }
            let steps = try context.todos.rehearseImport(
                reading, revives: false, echo: reader.echo)
            return try page(
                text: text, format: name, plan(steps, reading), canImport: true, context)
        } catch let fault where fault is FormatFault || fault is PageWordsFault {
            return try page(
                text: text, format: name, status: 422,
                .element(
                    "p", [.class("fault"), .set(.role, "alert")],
                    HTML(PageFaultWords.words(fault))), context)
        }
    }

    private static func reader(
        _ name: String, _ bytes: [UInt8], _ context: PageContext
    ) throws -> any ToDoFormat {
        let file = fileName(context)
        let type = name.isEmpty ? ToDoFormats.ofFile(file) { bytes } : ToDoFormats.named(name)
        guard let type else { throw PageWordsFault.noFormat }
        var settings = FormatSettings(zone: context.zone, now: context.now)
        settings.dateOrder = context.settings.user.dateOrder
        return try type.init(settings)
    }

    private static func plan(_ steps: [ImportStep], _ reading: FormatReading) -> HTML {
        let summary = ImportSummary(steps)
        var parts: HTML = .paragraph(
            HTML(
                "Would make \(summary.madeCount) new, update \(summary.updatedCount), and leave "
                    + "\(summary.unchangedCount) as they are."))
        let losses = (reading.losses + reading.remarks).prefix(stepCountMax).map { HTML("\($0)") }
        if !losses.isEmpty {
            parts += .heading("What is lost or kept otherwise") + .list(Array(losses))
        }
        let titles = steps.prefix(stepCountMax).map { HTML.typed($0.title.shownTitle) }
        parts += .heading("The to-dos") + .list(Array(titles))
        return .element("section", [.set(.role, "status")], parts)
    }
}
