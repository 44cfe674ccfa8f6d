import Core
import Storage
import ToDo

/// Results for programs.
enum JSONOutput {
    /// A text in quotes.
    static func text(_ text: String) -> String {
        JSONText.string(text)
    }

    /// An object; the values are JSON already.
    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(text($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }

    /// An array, an element a line; the elements are JSON already.
    static func array(_ elements: [String]) -> String {
        elements.isEmpty ? "[]" : "[\n" + elements.joined(separator: ",\n") + "\n]"
    }

    /// Who deleted a to-do, and when.
    static func deletion(_ deletion: (device: String, time: Int64)) -> [(String, String)] {
        [
            ("deletedOn", text(deletion.device)),
            ("deletedAt", text(TimestampText.rfc3339(deletion.time))),
        ]
    }

    /// A to-do with all its fields, and whether it is deleted.
    static func item(_ stored: StoredRecord, extra: [(String, String)] = []) -> String {
        var extra = extra
        if stored.verdict.isDeleted { extra.append(("deleted", "true")) }
        let line = JSONLinesFormat.line(ToDoMapping.item(stored))
        guard !extra.isEmpty else { return line }
        return String(line.dropLast()) + "," + String(object(extra).dropFirst())
    }
}
