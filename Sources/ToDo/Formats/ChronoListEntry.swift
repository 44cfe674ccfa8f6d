/// Reads one dictionary of a ChronoList archive.
struct ChronoListEntry {
    private let entry: Int

    /// Reads the entry of that number, from 1.
    init(entry: Int) {
        self.entry = entry
    }

    /// The to-do that a dictionary says.
    func item(_ value: PropertyValue) throws(FormatFault) -> ToDoItem {
        guard case .dictionary(let members) = value else {
            throw fault(nil, "is not a dictionary")
        }
        var item = ToDoItem(title: "")
        var keys: Set<String> = []
        for member in members {
            guard keys.insert(member.key).inserted else {
                throw fault(member.key, "stands twice")
            }
            try read(member, into: &item)
        }
        guard keys.contains("title") else { throw fault("title", "is missing") }
        return item
    }

    private func read(_ member: PropertyMember, into item: inout ToDoItem) throws(FormatFault) {
        let (key, value) = (member.key, member.value)
        switch key {
        case "title": item.title = try text(key, value)
        case "note": item.notes = try text(key, value)
        case "projectName": item.project = try text(key, value)
        case "isComplete":
            guard case .bool(let flag) = value else { throw mismatch(key, value, "yes or no") }
            item.status = flag ? .completed : .pending
        case "dueDate": item.due = try moment(key, value)
        case "startDate": item.start = try moment(key, value)
        case "finishDate": item.finish = try moment(key, value)
        default: item.custom[key] = try custom(key, value)
        }
    }

    private func fault(_ key: String?, _ reason: String) -> FormatFault {
        .badEntry(format: ChronoListFormat.name, entry: entry, key: key, reason: reason)
    }

    private func mismatch(_ key: String, _ value: PropertyValue, _ kind: String) -> FormatFault {
        if case .bad(let reason) = value { return fault(key, reason) }
        return fault(key, "is not \(kind)")
    }

    private func text(_ key: String, _ value: PropertyValue) throws(FormatFault) -> String {
        guard case .text(let text) = value else { throw mismatch(key, value, "a text") }
        return text
    }

    private func moment(_ key: String, _ value: PropertyValue) throws(FormatFault) -> Moment {
        guard case .date = value else { throw mismatch(key, value, "a date") }
        guard let instant = value.instant else { throw fault(key, "is a date without end") }
        return .instant(instant)
    }

    /// A value under a key we do not know; what is nested becomes JSON text.
    private func custom(_ key: String, _ value: PropertyValue) throws(FormatFault) -> CustomValue {
        switch value {
        case .text(let text): return .text(text)
        case .bool(let flag): return .bool(flag)
        case .data(let bytes): return .bytes(bytes)
        case .date:
            guard let instant = value.instant else { throw fault(key, "is a date without end") }
            return .instant(instant)
        case .number(let digits): return CustomValue(json: .number(digits)) ?? .text(digits)
        case .array, .dictionary, .bad:
            guard let json = value.json else { throw mismatch(key, value, "a value to be kept") }
            return .text(json.compactText)
        }
    }
}
