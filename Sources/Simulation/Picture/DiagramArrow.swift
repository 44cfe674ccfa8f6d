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

    /// What is written along it, if so much fits; else less.
    func label(fitting widthMax: Int) -> String {
        let label = self.label
        guard messages.count > 1, label.count > widthMax else { return label }
        return "\(messages.count) messages, \(size)"
    }

    private var size: String {
        let byteCount = messages.reduce(0) { $0 + $1.byteCount }
        return "\(byteCount) \(byteCount == 1 ? "byte" : "bytes")"
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
