import JSON

/// Our own export: one JSON object a line, nothing lost.
///
/// Every object has `"tandem":1`; a reader refuses higher numbers. Keys with nothing to say are
/// left out. Days are `"2026-12-01"`, instants RFC 3339 in UTC with milliseconds; custom values
/// as `CustomValue.json` says. Keys this version does not know become custom fields named
/// `json:<key>` that hold JSON text, and go back to their place in the next export. The lines of a
/// whole export that are no live to-dos are `BackupLine`'s.
package struct JSONLinesFormat: Sendable {
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
        var reader = JSONLinesReader(
            ReadingBuilder(name, limitsYears: false), keepsTitles: true)
        var lines = TextLines(bytes)
        while let line = lines.next() { try reader.read(Array(line.bytes), line: line.number) }
        try reader.finish()
        return reader.builder.reading
    }

    /// Writes all items, one a line.
    package static func encode(_ items: [ToDoItem]) -> FormatWriting {
        var writer = JSONWriter()
        for item in items {
            writer.append(value(item))
            writer.append(raw: "\n")
        }
        return FormatWriting(writer.bytes)
    }

    /// The item as one JSON text without a line break.
    package static func line(_ item: ToDoItem) -> String {
        value(item).compactText
    }

    /// The members of an item.
    static let knownKeys: Set<String> = [
        "tandem", "id", "title", "notes", "project", "status", "priority", "due", "scheduled",
        "wait", "until", "start", "finish", "completed", "created", "modified", "tags", "people",
        "location", "custom", "parent", "repeat", "series", "occurrence", "anchor", "position",
        "work", "completions", "depends", "remind", "except",
    ]

    /// The item as a JSON object.
    package static func value(_ item: ToDoItem) -> JSONValue { .object(members(item)) }

    /// The members of an item's object; the first is the version.
    package static func members(_ item: ToDoItem) -> [JSONMember] {
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

    /// The members that tie the item to others, its position and its work.
    static func planMembers(_ item: ToDoItem) -> [JSONMember] {
        var members: [JSONMember] = []
        func add(_ key: String, _ text: String?) {
            if let text, !text.isEmpty { members.append(JSONMember(key, .text(text))) }
        }
        add("parent", item.parent.map(UUIDText.text))
        if !item.depends.isEmpty {
            let ids = item.depends.map { JSONValue.text(UUIDText.text($0)) }
            members.append(JSONMember("depends", .array(ids)))
        }
        add("repeat", item.repeats)
        if !item.exceptions.isEmpty {
            let days = item.exceptions.map { JSONValue.text(ExceptionDay.text($0)) }
            members.append(JSONMember("except", .array(days)))
        }
        if !item.reminders.isEmpty {
            let texts = item.reminders.map { JSONValue.text($0.text) }
            members.append(JSONMember("remind", .array(texts)))
        }
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
            } else if !name.hasPrefix(unknownCustomPrefix), !knownKeys.contains(outer),
                json != .null
            {
                // A key beside those of a to-do whose value is null is read as none.
                beside.append(JSONMember(outer, json))
            } else {
                inside.append(JSONMember(name, value.json))
            }
        }
        if !inside.isEmpty { beside.append(JSONMember("custom", .object(inside))) }
        return beside
    }
}

/// Reads the lines of `JSONLinesFormat`.
private struct JSONLinesReader {
    private(set) var builder: ReadingBuilder
    private var backup: BackupReader
    private var firstFault: FormatFault?

    /// - Parameter keepsTitles: whether conflicts are told with the titles of their to-dos.
    init(_ builder: ReadingBuilder, keepsTitles: Bool) {
        self.builder = builder
        backup = BackupReader(keepsTitles: keepsTitles)
    }

    /// Reads a line; one without anything is passed over.
    mutating func read(_ bytes: [UInt8], line: Int) throws(FormatFault) {
        var reader = JSONReader(
            bytes, depthMax: FormatLimits.depthMax,
            valueByteCountMax: FormatLimits.entryByteCountMax)
        if reader.isAtEnd() { return }
        switch Self.wholeValue(&reader) {
        case .success(let value): try backup.read(value, line: line, into: &builder)
        case .failure(let fault):
            let reason = "\(fault.reason.words) at byte \(fault.byteOffset) of the line"
            firstFault =
                firstFault
                ?? .cannotDecode(format: JSONLinesFormat.name, reason: reason, line: line)
            try builder.addBad(line: line, reason: reason)
        }
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

    /// Takes what was read since it was taken last.
    mutating func take() -> FormatReading { builder.take() }

    mutating func finish() throws(FormatFault) {
        backup.finish(&builder)
        // Nothing of it is ours: that is another file, and not one with bad lines.
        if builder.itemCount == 0, let firstFault { throw firstFault }
    }
}

/// Reads a file of `JSONLinesFormat` piece by piece.
private struct JSONLinesStream: EntryStream {
    private var reader = JSONLinesReader(
        ReadingBuilder(JSONLinesFormat.name, limitsYears: false, entryCountMax: .max),
        keepsTitles: false)
    private var lines = LineSplitter(byteCountMax: FormatLimits.entryByteCountMax)

    mutating func add(_ bytes: ArraySlice<UInt8>) throws(FormatFault) {
        for line in lines.add(bytes) { try reader.read(line.bytes, line: line.number) }
    }

    mutating func finish() throws(FormatFault) {
        let last = lines.finish()
        try reader.read(last.bytes, line: last.number)
        try reader.finish()
    }

    mutating func take() -> FormatReading { reader.take() }
}

/// Reads one object of `JSONLinesFormat`.
struct JSONLinesEntryReader {
    private let entry: Int
    private var item = ToDoItem(title: "")

    /// Reads a whole object; `entry` counts from 1.
    static func item(_ value: JSONValue, entry: Int) throws(FormatFault) -> ToDoItem {
        var reader = JSONLinesEntryReader(entry: entry)
        guard case .object(let members) = value else {
            throw reader.fault(nil, "not an object")
        }
        guard let version = members.first(where: { $0.name == "tandem" }) else {
            throw reader.fault("tandem", "is missing; this is no export of ours")
        }
        guard version.value == .number(JSONLinesFormat.version) else {
            throw reader.fault("tandem", "written by a newer version; upgrade to read it")
        }
        guard members.contains(where: { $0.name == "title" }) else {
            throw reader.fault("title", "is missing")
        }
        for member in members where member.name != "tandem" { try reader.read(member) }
        return reader.item
    }

    /// Gives an item what `JSONLinesFormat.planMembers` wrote of it.
    static func readPlan(
        _ members: [JSONMember], into item: inout ToDoItem, entry: Int
    ) throws(FormatFault) {
        var reader = JSONLinesEntryReader(entry: entry)
        reader.item = item
        for member in members { try reader.read(member) }
        item = reader.item
    }

    private init(entry: Int) {
        self.entry = entry
    }

    private func fault(_ key: String?, _ reason: String) -> FormatFault {
        .badEntry(format: JSONLinesFormat.name, entry: entry, key: key, reason: reason)
    }

    private mutating func read(_ member: JSONMember) throws(FormatFault) {
        let (key, value) = (member.name, member.value)
        if let field = ToDoDateField(rawValue: key) {
            item[field] = try moment(key, value)
            return
        }
        switch key {
        case "id":
            item.identifier = try identifier(key, value)
        case "title": item.title = try text(key, value)
        case "notes": item.notes = try text(key, value)
        case "project": item.project = try text(key, value)
        case "location": item.location = try text(key, value)
        case "status":
            let word = try text(key, value)
            guard let status = ToDoStatus(rawValue: word) else {
                throw fault(key, "'\(FormatLoss.beginning(of: word))' is no status")
            }
            item.status = status
        case "priority":
            let word = try text(key, value)
            guard let priority = ToDoPriority(word: word) else {
                throw fault(key, "'\(FormatLoss.beginning(of: word))' is no priority")
            }
            item.priority = priority
        case "completed":
            let time = try instant(key, value)
            if item.completions.isEmpty { item.completed = time }
        case "created": item.created = try instant(key, value)
        case "modified": item.modified = try instant(key, value)
        case "tags": item.setTags(try texts(key, value))
        case "people": item.people = try texts(key, value)
        case "custom": try readCustom(value)
        case "parent": item.parent = try identifier(key, value)
        case "depends":
            var ids: [UInt128] = []
            for text in try texts(key, value) { ids.append(try identifier(key, .text(text))) }
            item.setDepends(ids)
        case "series": item.series = try identifier(key, value)
        case "repeat": item.repeats = try text(key, value)
        case "occurrence": item.occurrence = try occurrence(key, value)
        case "anchor": item.anchor = try moment(key, value)
        case "position":
            let keys = try texts(key, value).compactMap { PositionKey(text: $0) }
            item.positions = Set(keys).sorted()
        case "work": item.work = try work(key, value)
        case "remind":
            item.setReminders(
                try texts(key, value).map { text throws(FormatFault) in
                    guard let reminder = Reminder(reading: text) else {
                        throw fault(key, "'\(FormatLoss.beginning(of: text))' is no reminder")
                    }
                    return reminder
                })
        case "except":
            item.setExceptions(
                try texts(key, value).map { text throws(FormatFault) in
                    guard let day = ExceptionDay.day(reading: text) else {
                        throw fault(key, "'\(FormatLoss.beginning(of: text))' is no day")
                    }
                    return day
                })
        case "completions": try readCompletions(key, value)
        default: item.custom[JSONLinesFormat.unknownPrefix + key] = .text(value.compactText)
        }
    }

    private func identifier(_ key: String, _ value: JSONValue) throws(FormatFault) -> UInt128 {
        guard let identifier = UUIDText.value(try text(key, value)) else {
            throw fault(key, "is not a UUID")
        }
        return identifier
    }

    private func work(_ key: String, _ value: JSONValue) throws(FormatFault) -> [WorkInterval] {
        guard case .array(let elements) = value else { throw fault(key, "should be an array") }
        var intervals: Set<WorkInterval> = []
        for element in elements {
            guard case .object(let members) = element,
                let start = members.first(where: { $0.name == "start" })
            else { throw fault(key, "an interval needs a start") }
            let end = members.first { $0.name == "end" }
            let interval = WorkInterval(
                start: try instant(key, start.value),
                end: try end.map { member throws(FormatFault) in try instant(key, member.value) })
            if let end = interval.end, end < interval.start {
                throw fault(key, "an interval ends before it starts")
            }
            intervals.insert(interval)
        }
        return intervals.sorted { ($0.start, $0.end ?? .max) < ($1.start, $1.end ?? .max) }
    }

    private mutating func readCompletions(
        _ key: String, _ value: JSONValue
    ) throws(FormatFault) {
        guard case .array(let elements) = value else { throw fault(key, "should be an array") }
        var times: Set<Int64> = []
        for element in elements { times.insert(try instant(key, element)) }
        item.completions = times.sorted()
    }

    private func text(_ key: String, _ value: JSONValue) throws(FormatFault) -> String {
        guard case .text(let text) = value else { throw fault(key, "should be a text") }
        return text
    }

    private func texts(_ key: String, _ value: JSONValue) throws(FormatFault) -> [String] {
        guard let texts = value.texts else { throw fault(key, "should be an array of texts") }
        return texts
    }

    private func moment(_ key: String, _ value: JSONValue) throws(FormatFault) -> Moment {
        let text = try text(key, value)
        guard let moment = TimestampReader.rfc3339(text) else {
            throw fault(key, "'\(FormatLoss.beginning(of: text))' is no RFC 3339 date")
        }
        return moment
    }

    private func occurrence(_ key: String, _ value: JSONValue) throws(FormatFault) -> Int {
        guard case .number(let digits) = value, let number = Int(digits),
            ToDoItem.occurrences.contains(number)
        else {
            let most = ToDoItem.occurrences.upperBound
            throw fault(key, "should be a whole number from 1 to \(most)")
        }
        return number
    }

    private func instant(_ key: String, _ value: JSONValue) throws(FormatFault) -> Int64 {
        guard case .instant(let instant) = try moment(key, value) else {
            throw fault(key, "should have a time of day")
        }
        return instant
    }

    private mutating func readCustom(_ value: JSONValue) throws(FormatFault) {
        guard case .object(let members) = value else { throw fault("custom", "not an object") }
        for member in members {
            if let known = CustomValue(json: member.value) {
                item.custom[member.name] = known
            } else {
                let name = JSONLinesFormat.unknownCustomPrefix + member.name
                item.custom[name] = .text(member.value.compactText)
            }
        }
    }
}

extension JSONLinesFormat: ToDoFormat {
    /// The names of the format, and what is known of it without a file.
    package static let profile = FormatProfile(
        "jsonl", otherNames: ["jsonlines"], family: "JSON", losses: "",
        nameEndings: [".jsonl", ".ndjson"])

    /// A format as a command line asks for it.
    package init(_ settings: FormatSettings) throws(FormatOptionFault) {}

    /// Reads a file.
    package func decode(_ bytes: [UInt8]) throws(FormatFault) -> FormatReading {
        try Self.decode(bytes)
    }

    /// Reads a file piece by piece.
    package func stream() -> (any EntryStream)? { JSONLinesStream() }

    /// Writes a file.
    package func encode(_ items: [ToDoItem]) throws(FormatFault) -> FormatWriting {
        Self.encode(items)
    }
}
