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
        case "series": item.series = try identifier(key, value)
        case "repeat": item.repeats = try text(key, value)
        case "occurrence":
            guard case .number(let digits) = value, let number = Int(digits), number > 0 else {
                throw fault(key, "should be a whole number from 1")
            }
            item.occurrence = number
        case "anchor": item.anchor = try moment(key, value)
        case "position":
            let keys = try texts(key, value).compactMap { PositionKey(text: $0) }
            item.positions = Set(keys).sorted()
        case "work": item.work = try work(key, value)
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
