import ToDo

/// The line in which a to-do is typed, with the words of `tandem add`.
enum CaptureForm {
    /// The most bytes of a line.
    static let lineByteCountMax = 16_384

    static func form(_ context: PageContext) -> HTML {
        let hint: HTML =
            "Buy milk project:Home +errand due:fri · due, scheduled, wait, repeat, priority, notes, depends …"
        return context.form(
            "/add", class: "capture", id: "capture",
            [
                .hidden("back", context.path),
                .field(
                    "line", "New to-do", "", hint: hint,
                    [
                        .set(.type, "text"), .set(.autocomplete, "off"),
                        .set(.maxLength, String(lineByteCountMax / 4)), .set(.shortcuts, "n"),
                    ]),
                .button("Add"),
                .element(
                    "output",
                    [.set(.id, "echo"), .set(.forField, "f-line"), .set(.live, "polite")]),
            ])
    }
}
