import FoundationEssentials

/// One dictionary of a ChronoList archive.
struct ChronoListEntry {
    private(set) var item: ToDoItem
    private var zone = LocalTimeZone.utc

    init(_ item: ToDoItem, zone: LocalTimeZone) {
        self.item = item
        self.zone = zone
    }

    /// Any key at all, so that unknown ones can be kept.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) {
            self.stringValue = stringValue
        }

        init?(intValue: Int) {
            nil
        }
    }
}

extension ChronoListEntry: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        item = ToDoItem(title: "")
        for key in container.allKeys {
            switch key.stringValue {
            case "title": item.title = try container.decode(String.self, forKey: key)
            case "note": item.notes = try container.decode(String.self, forKey: key)
            case "projectName": item.project = try container.decode(String.self, forKey: key)
            case "isComplete":
                item.status = try container.decode(Bool.self, forKey: key) ? .completed : .pending
            case "dueDate": item.due = try Self.moment(container, key)
            case "startDate": item.start = try Self.moment(container, key)
            case "finishDate": item.finish = try Self.moment(container, key)
            default:
                item.custom[key.stringValue] = Self.custom(container, key)
            }
        }
        guard container.contains(Key(stringValue: "title")) else {
            throw DecodingError.keyNotFound(
                Key(stringValue: "title"),
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: ""))
        }
    }

    private static func moment(
        _ container: KeyedDecodingContainer<Key>, _ key: Key
    ) throws -> Moment {
        let seconds = try container.decode(Date.self, forKey: key).timeIntervalSince1970
        guard let instant = Int64(exactly: (seconds * 1_000).rounded()) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "a date without end")
        }
        return .instant(instant)
    }

    /// A value under a key we do not know; what is nested becomes JSON text.
    private static func custom(
        _ container: KeyedDecodingContainer<Key>, _ key: Key
    ) -> CustomValue? {
        if let flag = try? container.decode(Bool.self, forKey: key) { return .bool(flag) }
        if let text = try? container.decode(String.self, forKey: key) { return .text(text) }
        if case .instant(let instant)? = try? moment(container, key) { return .instant(instant) }
        if let number = try? container.decode(Int64.self, forKey: key) { return .int(number) }
        if let number = try? container.decode(Double.self, forKey: key) { return .double(number) }
        guard let nested = try? container.decode(PropertyValue.self, forKey: key) else {
            return nil
        }
        return .text(nested.json.compactText)
    }
}

extension ChronoListEntry: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        func date(_ moment: Moment?) -> Date? {
            guard let instant = moment?.start(in: zone) else { return nil }
            return Date(timeIntervalSince1970: Double(instant) / 1_000)
        }
        try container.encode(item.title, forKey: Key(stringValue: "title"))
        if !item.notes.isEmpty {
            try container.encode(item.notes, forKey: Key(stringValue: "note"))
        }
        try container.encode(item.project, forKey: Key(stringValue: "projectName"))
        try container.encode(item.isComplete, forKey: Key(stringValue: "isComplete"))
        try container.encodeIfPresent(date(item.due), forKey: Key(stringValue: "dueDate"))
        try container.encodeIfPresent(date(item.start), forKey: Key(stringValue: "startDate"))
        try container.encodeIfPresent(date(item.finish), forKey: Key(stringValue: "finishDate"))
    }
}
