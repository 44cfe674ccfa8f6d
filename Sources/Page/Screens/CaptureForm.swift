import ToDo

/// The line in which a to-do is typed, with the words of `tandem add`.
enum CaptureForm {
    /// The most bytes of a line.
    static let lineByteCountMax = 16_384

    static func form(_ context: PageContext) -> HTML {
        let hint: HTML =
            "The words of a line: project:Home +errand due:fri scheduled: wait: repeat: priority: notes: depends:"
        return context.form(
            "/add", class: "capture", id: "capture",
            [
                .hidden("back", context.path),
                .field(
                    "line", "New to-do", "", isLabelSeen: false,
                    [
                        .set(.type, "text"), .set(.autocomplete, "off"), .set(.direction, "auto"),
                        .set(.placeholder, "New to-do: Buy milk project:Home due:fri"),
                        .set(.describedBy, "line-hint"),
                        .set(.maxLength, String(lineByteCountMax / 4)), .set(.shortcuts, "n"),
                    ]),
                .button("Add", class: "main"),
                .element("p", [.class("hint"), .set(.id, "line-hint")], hint),
                .element(
                    "output",
                    [.set(.id, "echo"), .set(.forField, "f-line"), .set(.live, "polite")]),
            ])
    }
}
