/// Our own export: one JSON object a line, nothing lost.
///
/// Every object has `"tandem":1`; a reader refuses higher numbers. Keys with nothing to say are
/// left out. Days are `"2026-12-01"`, instants RFC 3339 in UTC with milliseconds; custom values
/// as `CustomValue.json` says. Keys this version does not know become custom fields named
/// `json:<key>` that hold JSON text, and go back to their place in the next export. The lines of a
/// whole export that are no live to-dos are `BackupLine`'s.
package enum JSONLinesFormat {
    static let name = "Tandem JSON"
    static let version = "1"

    /// Names a key we do not know; the text is its JSON value.
    static let unknownPrefix = "json:"
    /// Names a custom field whose kind of value we do not know.
    static let unknownCustomPrefix = "json:custom/"

    /// Reads a file; empty lines are passed over.
    ///
    /// - Throws: `cannotDecode` if no line is JSON; bad lines are among the faults.
    package static func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try FormatLimits.check(bytes, format: name)
        var builder = ReadingBuilder(name, limitsYears: false)
        var backup = BackupReader()
        var firstFault: FormatFault?
        var lines = TextLines(bytes)
        while let line = lines.next() {
            var reader = JSONReader(Array(line.bytes))
            if reader.isAtEnd() { continue }
            switch wholeValue(&reader) {
            case .success(let value):
                try backup.read(value, line: line.number, into: &builder)
            case .failure(let fault):
                let reason = "\(fault.reason.words) at byte \(fault.byteOffset) of the line"
                firstFault =
                    firstFault ?? .cannotDecode(format: name, reason: reason, line: line.number)
                try builder.addBad(line: line.number, reason: reason)
            }
        }
        backup.finish(&builder)
        // Nothing of it is ours: that is another file, and not one with bad lines.
        if builder.reading.items.isEmpty, builder.reading.trash.isEmpty, let firstFault {
            throw firstFault
        }
        return builder.reading
    }

    /// The value that fills a line.
    private static func wholeValue(_ reader: inout JSONReader) -> Result<JSONValue, JSONFault> {
        Result { () throws(JSONFault) in
            let value = try reader.value()
            guard reader.isAtEnd() else {
                throw JSONFault(reason: .unexpectedByte, byteOffset: reader.offset)
            }
            return value
        }
    }

    /// Writes all items, one a line.
    package static func encode(_ items: [ToDoItem]) -> FormatWriting {
        var writer = JSONWriter()
        for item in items {
            writer.append(json(item))
            writer.append(raw: "\n")
        }
        return FormatWriting(writer.bytes)
    }

    /// The item as one JSON text without a line break.
    package static func line(_ item: ToDoItem) -> String {
        json(item).compactText
    }

    private static let knownKeys: Set<String> = [
        "tandem", "id", "title", "notes", "project", "status", "priority", "due", "scheduled",
        "wait", "until", "start", "finish", "completed", "created", "modified", "tags", "people",
        "location", "custom", "parent", "repeat", "series", "occurrence", "anchor", "position",
        "work", "completions",
    ]

    private static func json(_ item: ToDoItem) -> JSONValue { .object(members(item)) }

    /// The members of an item's object; the first is the version.
    static func members(_ item: ToDoItem) -> [JSONMember] {
        var members = [JSONMember("tandem", .number(version))]
        func add(_ key: String, _ text: String) {
            if !text.isEmpty { members.append(JSONMember(key, .text(text))) }
        }
        func add(_ key: String, _ texts: [String]) {
            guard !texts.isEmpty else { return }
            members.append(JSONMember(key, .array(texts.map { .text($0) })))
        }
        add("id", item.identifier.map(UUIDText.text) ?? "")
        members.append(JSONMember("title", .text(item.title)))
        add("notes", item.notes)
        add("project", item.project)
        add("status", item.status.rawValue)
        if item.priority != .none { add("priority", item.priority.word) }
        for field in ToDoDateField.allCases {
            add(field.rawValue, item[field]?.rfc3339 ?? "")
        }
        add("completed", item.completed.map(TimestampText.rfc3339) ?? "")
        add("created", item.created.map(TimestampText.rfc3339) ?? "")
        add("modified", item.modified.map(TimestampText.rfc3339) ?? "")
        add("tags", item.tags)
        add("people", item.people)
        add("location", item.location)
        members += planMembers(item)
        return members + customMembers(item.custom)
    }

    /// What ties the item to others, its place and its work.
    static func planMembers(_ item: ToDoItem) -> [JSONMember] {
        var members: [JSONMember] = []
        func add(_ key: String, _ text: String?) {
            if let text, !text.isEmpty { members.append(JSONMember(key, .text(text))) }
        }
        add("parent", item.parent.map(UUIDText.text))
        add("repeat", item.repeats)
        add("series", item.series.map(UUIDText.text))
        if let number = item.occurrence {
            members.append(JSONMember("occurrence", .number(String(number))))
        }
        add("anchor", item.anchor?.rfc3339)
        if !item.positions.isEmpty {
            let keys = item.positions.map { JSONValue.text($0.text) }
            members.append(JSONMember("position", .array(keys)))
        }
        if !item.work.isEmpty {
            members.append(JSONMember("work", .array(item.work.map(interval))))
        }
        if item.completions.count > 1 {
            let times = item.completions.map { JSONValue.text(TimestampText.rfc3339($0)) }
            members.append(JSONMember("completions", .array(times)))
        }
        return members
    }

    private static func interval(_ interval: WorkInterval) -> JSONValue {
        var members = [JSONMember("start", .text(TimestampText.rfc3339(interval.start)))]
        if let end = interval.end {
            members.append(JSONMember("end", .text(TimestampText.rfc3339(end))))
        }
        return .object(members)
    }

    /// The member `custom`, and the unknown keys of other versions at their places.
    private static func customMembers(_ custom: [String: CustomValue]) -> [JSONMember] {
        var inside: [JSONMember] = []
        var beside: [JSONMember] = []
        for (name, value) in custom.sorted(by: { $0.key < $1.key }) {
            guard name.hasPrefix(unknownPrefix), case .text(let text) = value,
                let json = JSONValue(compactText: text), json.compactText == text
            else {
                inside.append(JSONMember(name, value.json))
                continue
            }
            let inner = String(name.dropFirst(unknownCustomPrefix.count))
            let outer = String(name.dropFirst(unknownPrefix.count))
            if name.hasPrefix(unknownCustomPrefix), custom[inner] == nil,
                CustomValue(json: json) == nil
            {
                inside.append(JSONMember(inner, json))
            } else if !name.hasPrefix(unknownCustomPrefix), !knownKeys.contains(outer) {
                beside.append(JSONMember(outer, json))
            } else {
                inside.append(JSONMember(name, value.json))
            }
        }
        if !inside.isEmpty { beside.append(JSONMember("custom", .object(inside))) }
        return beside
    }
}
