/// Messages that are drawn as one arrow.
struct DiagramArrow {
    var messages: [DiagramMessage]
    /// The row of the first that left.
    var start: Int?
    /// The row of the first that arrived, or of the loss.
    var end: Int?

    var from: Int { messages[0].from }
    var to: Int { messages[0].to }
    var isLost: Bool { messages[0].loss != nil }
    /// Whether nobody in the picture is meant.
    var isToStranger: Bool { from == to }

    /// What is written along it: as much as fits.
    func label(fitting widthMax: Int) -> String {
        let count = Counted.words(messages.count, "message")
        let lost = isLost ? "lost: " : ""
        let shorter = [label, "\(lost)\(count), \(size)", lost + size, size]
        return shorter.first { DiagramText.width(of: $0) <= widthMax } ?? size
    }

    private var size: String {
        Counted.words(messages.reduce(0) { $0 + $1.byteCount }, "byte")
    }

    /// What is written along it.
    var label: String {
        var words = "\(messages[0].kind), \(size)"
        if messages.count > 1 {
            let changes = messages.contains { $0.kind == "changes" } ? " with changes" : ""
            words = "\(messages.count) messages\(changes), \(size)"
        }
        if isToStranger { return "to a stranger: " + words }
        if isLost { return "lost: " + words }
        return end == nil ? words + ", still on the way" : words
    }
}
