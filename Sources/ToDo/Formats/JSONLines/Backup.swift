import Core
import JSON
import Storage

/// The lines of a whole export that are no live to-dos.
///
/// All say `"tandem":2` and their `kind`, so that a reader that knows only to-dos refuses them
/// rather than bringing a deleted one back: `deleted` is a to-do in the trash, `editedAfterPurge` what another
/// device wrote to a purged one, `viewEditedAfterPurge` a field that it wrote to a purged view, `conflict` a field with all its
/// values, `change` an entry of the journal.
enum BackupLine {
    static let version = "2"

    /// A to-do in the trash, and the device that deleted it.
    static func deleted(_ item: ToDoItem, device: String?, time: Int64?) -> JSONValue {
        var members = JSONLinesFormat.members(item)
        members[0] = JSONMember("tandem", .number(version))
        members.insert(JSONMember("kind", .text("deleted")), at: 1)
        if let device { members.append(JSONMember("deletedOn", .text(device))) }
        if let time { members.append(JSONMember("deletedAt", instant(time))) }
        return .object(members)
    }

    /// The values written to a purged to-do while apart from the purge, and by which device last; with the id of
    /// its copy.
    static func editedAfterPurge(
        _ item: ToDoItem, purged: RecordID, device: String, time: Int64
    ) -> JSONValue {
        var members = JSONLinesFormat.members(item)
        members[0] = JSONMember("tandem", .number(version))
        members.insert(JSONMember("kind", .text("editedAfterPurge")), at: 1)
        members.append(JSONMember("purged", .text(purged.uuidText)))
        members.append(JSONMember("editedOn", .text(device)))
        members.append(JSONMember("editedAt", instant(time)))
        return .object(members)
    }

    /// A field with several values, the shown one first.
    static func conflict(
        _ conflict: FieldConflict, of id: RecordID, device: (ReplicaID) throws(StoreFault) -> String
    ) throws(StoreFault) -> JSONValue {
        line("conflict", id, conflict.field, [try values(of: conflict, device: device)])
    }

    /// A field of a purged view with all values that were written while apart from the purge, the shown one first.
    static func viewEditedAfterPurge(
        _ kept: FieldConflict, of id: RecordID, named name: String?,
        device: (ReplicaID) throws(StoreFault) -> String
    ) throws(StoreFault) -> JSONValue {
        line(
            "viewEditedAfterPurge", id, kept.field,
            [
                JSONMember("view", name.map { .text($0) } ?? .null),
                try values(of: kept, device: device),
            ])
    }

    private static func values(
        of conflict: FieldConflict, device: (ReplicaID) throws(StoreFault) -> String
    ) throws(StoreFault) -> JSONMember {
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
        return JSONMember("values", .array(values))
    }

    /// The line of a to-do that was deleted on one device while another edited it.
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
        return line("change", entry.record.id, entry.field, members)
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
            let text =
                switch element {
                case .text(let text): text
                case .reference: element.toDo?.uuidText ?? "\(element)"
                default: "\(element)"
                }
            return "\(Self.name(Field(name)))/\(text)"
        }
    }

    /// A value with its kind; bytes of kinds that only a newer version knows.
    private static func json(_ value: Value) -> JSONValue {
        switch value {
        case .unknown(let bytes):
            .object([JSONMember("unknown", .text(CustomValue.bytes(bytes).displayText))])
        default: CustomValue(value)?.json ?? .null
        }
    }
}

/// Reads the lines of a whole export: to-dos, and what stands beside them.
struct BackupReader {
    private var changeCount = 0
    private var viewEditCount = 0
    private var hasModified = 0
    /// The title of each item, to tell of what is not kept.
    private var titles: [UInt128: String] = [:]
    private let keepsTitles: Bool

    init(keepsTitles: Bool) {
        self.keepsTitles = keepsTitles
    }

    /// Takes the value of a line.
    mutating func read(
        _ value: JSONValue, line: Int, into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        guard case .object(let members) = value, Self.version(members) == BackupLine.version else {
            return try readItem(value, isTrash: false, line: line, into: &builder)
        }
        switch Self.text("kind", members) {
        case "deleted":
            let own: Set<String> = ["tandem", "kind", "deletedOn", "deletedAt"]
            let item = [JSONMember("tandem", .number(JSONLinesFormat.version))]
            let rest = members.filter { !own.contains($0.name) }
            try readItem(.object(item + rest), isTrash: true, line: line, into: &builder)
        case "editedAfterPurge":
            let own: Set<String> = ["tandem", "kind", "purged", "editedOn", "editedAt"]
            let item = [JSONMember("tandem", .number(JSONLinesFormat.version))]
            let rest = members.filter { !own.contains($0.name) }
            try readItem(.object(item + rest), isTrash: false, line: line, into: &builder)
        case "conflict":
            try builder.addBeside(line: line) { entry, losses throws(FormatFault) in
                try besides(members, entry: entry, &losses)
            }
        case "change": changeCount += 1
        case "viewEditedAfterPurge": viewEditCount += 1
        // A to-do of a newer version: refused with the reader's own words.
        case nil: try readItem(value, isTrash: false, line: line, into: &builder)
        case .some(let kind):
            let reason = "'\(kind.prefix(40))' was written by a newer version; upgrade to read it"
            try builder.addBad(line: line, reason: reason)
        }
    }

    /// Tells what is left out of all lines.
    func finish(_ builder: inout ReadingBuilder) {
        func lose(_ field: String, _ code: any FormatReason) {
            builder.add(FormatLoss(entry: 0, title: "", field: field, code))
        }
        if hasModified > 0 { lose("modified", CommonReason.becomesImportTime(count: hasModified)) }
        if changeCount > 0 { lose("history", BackupReason.historyLeftOut(count: changeCount)) }
        if viewEditCount > 0 { lose("views", BackupReason.viewEditsLeftOut(count: viewEditCount)) }
    }

    private static func version(_ members: [JSONMember]) -> String? {
        guard case .number(let version)? = members.first(where: { $0.name == "tandem" })?.value
        else { return nil }
        return version
    }

    private static func text(_ name: String, _ members: [JSONMember]) -> String? {
        guard case .text(let text)? = members.first(where: { $0.name == name })?.value else {
            return nil
        }
        return text
    }

    private mutating func readItem(
        _ value: JSONValue, isTrash: Bool, line: Int, into builder: inout ReadingBuilder
    ) throws(FormatFault) {
        let count = builder.reading.items.count + builder.reading.trash.count
        try builder.add(line: line, isTrash: isTrash) { entry, _ throws(FormatFault) in
            let item = try JSONLinesEntryReader.item(value, entry: entry)
            if isTrash, item.identifier == nil {
                throw .badEntry(
                    format: JSONLinesFormat.name, entry: entry, key: "id", reason: "is missing")
            }
            return item
        }
        let last = isTrash ? builder.reading.trash.last : builder.reading.items.last
        guard builder.reading.items.count + builder.reading.trash.count > count, let last else {
            return
        }
        if keepsTitles, let identifier = last.identifier { titles[identifier] = last.title }
        if last.modified != nil { hasModified += 1 }
    }

    /// All values but the shown one, which the item's own line has.
    private func besides(
        _ members: [JSONMember], entry: Int, _ losses: inout [FormatLoss]
    ) throws(FormatFault) -> [BesideValue] {
        func fault(_ key: String, _ reason: String) -> FormatFault {
            .badEntry(format: JSONLinesFormat.name, entry: entry, key: key, reason: reason)
        }
        guard let id = Self.text("id", members).flatMap({ UUIDText.value($0) }) else {
            throw fault("id", "is not a UUID")
        }
        guard let field = Self.text("field", members) else { throw fault("field", "is missing") }
        let title = titles[id] ?? ""
        if field == "deleted" {
            losses.append(
                FormatLoss(
                    entry: entry, title: title, field: field,
                    BackupReason.contestLeftOut))
            return []
        }
        guard case .array(let values)? = members.first(where: { $0.name == "values" })?.value,
            !values.isEmpty
        else { throw fault("values", "should be an array of values") }
        var besides: [BesideValue] = []
        for value in values.dropFirst() {
            guard case .object(let parts) = value,
                let content = parts.first(where: { $0.name == "value" })?.value,
                let device = Self.text("device", parts),
                case .instant(let time)? = Self.text("time", parts)
                    .flatMap({ TimestampReader.rfc3339($0) })
            else { throw fault("values", "should have value, device and time") }
            let kept =
                content == .null ? nil : CustomValue(json: content) ?? .text(content.compactText)
            besides.append(
                BesideValue(item: id, field: field, value: kept, device: device, time: time))
        }
        losses.append(
            FormatLoss(
                entry: entry, title: title, field: field,
                BackupReason.conflictOver(field: field, otherCount: besides.count)))
        return besides
    }
}

/// The codes for what an import of a whole export does not keep.
package enum BackupReason: FormatReason {
    /// So many changes of the journal.
    case historyLeftOut(count: Int)
    /// So many fields of purged views.
    case viewEditsLeftOut(count: Int)
    /// The news that a to-do was deleted while another device edited it.
    case contestLeftOut
    /// An open conflict, whose other values become fields.
    case conflictOver(field: String, otherCount: Int)

    /// The code as half a sentence, for the user.
    package var words: String {
        switch self {
        case .historyLeftOut(let count):
            (count == 1 ? "1 change is" : "\(count) changes are")
                + " left out; every device writes its own"
        case .viewEditsLeftOut(let count):
            (count == 1 ? "1 field of a purged view is" : "\(count) fields of purged views are")
                + " left out; an import makes to-dos alone"
        case .contestLeftOut: "that it was deleted while another device edited it is left out"
        case .conflictOver(let field, let count):
            "the conflict is over; "
                + (count == 1
                    ? "1 other value is kept as field "
                    : "\(count) other values are kept as fields ")
                + "'conflict \(field) …', unless it is open here, too"
        }
    }
}
