import Core
import JSON
import Storage
import ToDo

/// Results for programs.
enum JSONOutput {
    /// A text.
    static func text(_ text: String) -> JSONValue { .text(text) }

    /// An object.
    static func object(_ members: [(String, JSONValue)]) -> JSONValue { .named(members) }

    /// An array as text, an element a line.
    static func array(_ elements: [JSONValue]) -> String {
        JSONValue.array(elements).text(.lines)
    }

    /// Returns the device that deleted a to-do, and the time.
    static func deletion(
        _ deletion: (device: String, time: Int64)
    ) -> [(String, JSONValue)] {
        [
            ("deletedOn", text(deletion.device)),
            ("deletedAt", text(TimestampText.rfc3339(deletion.time))),
        ]
    }

    /// A to-do with all its fields, and whether it is deleted.
    static func item(_ stored: StoredRecord, extra: [(String, JSONValue)] = []) -> JSONValue {
        var extra = extra
        if stored.verdict.isDeleted { extra.append(("deleted", .bool(true))) }
        let members = JSONLinesFormat.members(ToDoMapping.item(stored))
        return .object(members + extra.map { JSONMember($0.0, $0.1) })
    }
}
