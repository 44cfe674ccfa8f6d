import Core
import Storage

/// The lines of a whole export that are no live to-dos.
///
/// All say `"tandem":2` and their `kind`, so that a reader that knows only to-dos refuses them
/// rather than bringing a deleted one back: `deleted` is a to-do in the trash, `conflict` a field
/// with all its values, `change` an entry of the journal.
enum BackupLine {
    static let version = "2"

    /// A to-do in the trash, and who deleted it.
    static func deleted(_ item: ToDoItem, device: String?, time: Int64?) -> JSONValue {
        var members = JSONLinesFormat.members(item)
        members[0] = JSONMember("tandem", .number(version))
        members.insert(JSONMember("kind", .text("deleted")), at: 1)
        if let device { members.append(JSONMember("deletedOn", .text(device))) }
        if let time { members.append(JSONMember("deletedAt", instant(time))) }
        return .object(members)
    }

    /// A field with several values, the shown one first.
    static func conflict(
        _ conflict: FieldConflict, of id: RecordID, device: (ReplicaID) throws(StoreFault) -> String
    ) throws(StoreFault) -> JSONValue {
        var values: [JSONValue] = []
        for candidate in conflict.candidates {
            values.append(
                .object([
                    JSONMember("value", json(candidate.value)),
                    JSONMember("device", .text(try device(candidate.dot.replica))),
                    JSONMember("replica", .text(candidate.dot.replica.uuidText)),
                    JSONMember("time", instant(candidate.timestamp.milliseconds)),
                ]))
        }
        return line("conflict", id, conflict.field, [JSONMember("values", .array(values))])
    }

    /// That a to-do was deleted on one device while another edited it.
    static func contest(of id: RecordID, isDeleted: Bool) -> JSONValue {
        line("conflict", id, .deleted, [JSONMember("deleted", .bool(isDeleted))])
    }

    /// An entry of the journal.
    static func change(_ entry: JournalEntry, device: String) -> JSONValue {
        var members = [
            JSONMember("change", .text("\(entry.kind)")), JSONMember("device", .text(device)),
            JSONMember("replica", .text(entry.author.uuidText)),
            JSONMember("time", instant(entry.timestamp.milliseconds)),
            JSONMember("arrived", instant(entry.arrived)),
        ]
        if let before = entry.before { members.append(JSONMember("before", json(before))) }
        if let after = entry.after { members.append(JSONMember("after", json(after))) }
        return line("change", entry.record, entry.field, members)
    }

    private static func line(
        _ kind: String, _ id: RecordID, _ field: Field, _ rest: [JSONMember]
    ) -> JSONValue {
        .object(
            [
                JSONMember("tandem", .number(version)), JSONMember("kind", .text(kind)),
                JSONMember("id", .text(id.uuidText)), JSONMember("field", .text(name(field))),
            ] + rest)
    }

    private static func instant(_ milliseconds: Int64) -> JSONValue {
        .text(TimestampText.rfc3339(milliseconds))
    }

    /// A field's name; those of the user's own begin with `x.`, as on the command line.
    static func name(_ field: Field) -> String {
        switch field {
        case .deleted: return "deleted"
        case .text(let name): return "x." + name
        case .number: return ToDoSchema.name(of: field)
        case .element(let name, let element):
            let text = if case .text(let text) = element { text } else { "\(element)" }
            return "\(Self.name(Field(name)))/\(text)"
        }
    }

    /// A value with its kind; bytes of kinds that only a newer version knows.
    private static func json(_ value: Value) -> JSONValue {
        switch value {
        case .null: .null
        case .bool(let flag): CustomValue.bool(flag).json
        case .int(let number): CustomValue.int(number).json
        case .double(let number): CustomValue.double(number).json
        case .text(let text): CustomValue.text(text).json
        case .bytes(let bytes): CustomValue.bytes(bytes).json
        case .instant(let instant): CustomValue.instant(instant).json
        case .day(let day): CustomValue.day(day).json
        case .reference(let id): CustomValue.reference(id.value).json
        case .unknown(let bytes):
            .object([JSONMember("unknown", .text(CustomValue.bytes(bytes).displayText))])
        case .clock, .elided: .null
        }
    }
}
