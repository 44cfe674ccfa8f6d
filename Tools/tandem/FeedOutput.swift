import JSON
import Terminal
import ToDo

/// Changes of a watched list, for people and for programs.
extension ToDoFeed.Event {
    /// The event in a line.
    func line(_ context: CommandContext) throws -> ShownText {
        let title = stored.shownTitle
        let word =
            switch kind {
            case .insert: "new"
            case .update: "changed"
            case .delete: stored.verdict.isDeleted ? "deleted" : "gone from here"
            }
        let shown = entries.filter {
            $0.kind != .made && $0.field != .deleted && $0.isShown
        }
        let changes = shown.map { JournalOutput.words($0, context) }.joined(separator: "; ")
        let device =
            try author.map { " on " + (try context.todos.deviceName($0)).shownInLine } ?? ""
        let clock = context.zone.localTime(at: SystemTime.now)
        let time = [clock.hour, clock.minute, clock.second].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
        let text: ShownText = "\(Screen.faint(time))  \(word)\(device): \(Screen.bold(title))"
        return changes.isEmpty ? text : text + "  \(changes)"
    }

    /// The same as JSON.
    func json(_ context: CommandContext) throws -> JSONValue {
        let changes = try entries.map { try JournalOutput.json($0, context) }
        return JSONOutput.object([
            ("number", .number(number)), ("kind", JSONOutput.text(kind.rawValue)),
            ("time", JSONOutput.text(TimestampText.rfc3339(SystemTime.now))),
            ("changes", .array(changes)),
            ("item", try JSONOutput.item(stored, context.todos)),
        ])
    }
}
