import JSON

/// The details of a to-do that a property of JSON carries, where the other properties are not exact.
///
/// `X-TANDEM-MORE:{"due":"2026-12-01T09:00:00.250Z","custom":{"estimate":1.5}}`: members of our own JSON
/// (`JSONLinesFormat`), null for what is absent; `%5C` stands for a backslash, `%25` for `%`. A member
/// counts only as long as the other properties say what they would say of it: where another program has
/// changed them, they count.
struct ICalendarMore {
    /// The members besides `custom`.
    private(set) var members: [String: JSONValue] = [:]
    /// The custom fields.
    private(set) var custom: [String: JSONValue] = [:]

    /// All members of an item.
    init(of item: ToDoItem) {
        append(JSONLinesFormat.members(item))
    }

    /// Reads the value of the property.
    init(reading property: ICalendarProperty) throws(ICalendarProblem) {
        let text = Self.unguarded(ICalendarText.read(property.value))
        guard case .object(let all)? = JSONValue(compactText: text) else {
            throw ICalendarProblem(line: property.line, property.name, "it is no JSON object")
        }
        append(all)
    }

    private init() {}

    private mutating func append(_ all: [JSONMember]) {
        for member in all where member.name != "tandem" {
            if member.name == "custom", case .object(let inside) = member.value {
                for field in inside { custom[field.name] = field.value }
            } else {
                members[member.name] = member.value
            }
        }
    }

    /// The members that make `shown` into this; nil if none are needed.
    func difference(from shown: ICalendarMore) -> ICalendarProperty? {
        var more = ICalendarMore()
        more.members = Self.difference(members, shown.members)
        more.custom = Self.difference(custom, shown.custom)
        if more.members.isEmpty, more.custom.isEmpty { return nil }
        let text = Self.guarded(JSONValue.object(more.json).compactText)
        return ICalendarProperty(ICalendarNames.more, ICalendarText.written(text))
    }

    /// The escapes for characters that other programs lose: some read a backslash as an escape once
    /// too often, and our JSON writes a control character as it is.
    private static let guards: [(Unicode.Scalar, String)] = [
        ("%", "%25"), ("\\", "%5C"), ("\u{7f}", "%7F"),
    ]

    private static func guarded(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let guarded = guards.first(where: { $0.0 == scalar }) {
                result += guarded.1
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func unguarded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.first {
            let known = guards.first { rest.starts(with: $0.1.utf8) }
            bytes.append(known.map { UInt8(ascii: $0.0) } ?? first)
            rest = rest.dropFirst(known == nil ? 1 : 3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func difference(
        _ new: [String: JSONValue], _ old: [String: JSONValue]
    ) -> [String: JSONValue] {
        var found = new.filter { old[$0.key] != $0.value }
        for key in old.keys where new[key] == nil { found[key] = .null }
        return found
    }

    /// This with what `more` says besides.
    func with(_ more: ICalendarMore) -> ICalendarMore {
        var result = self
        result.members.merge(more.members) { _, new in new }
        result.custom.merge(more.custom) { _, new in new }
        result.members = result.members.filter { $0.value != .null }
        result.custom = result.custom.filter { $0.value != .null }
        return result
    }

    /// This with those members of `more` that `rendered`, which was made of both, shows as this does.
    func with(_ more: ICalendarMore, where rendered: ICalendarMore) -> ICalendarMore {
        var fitting = ICalendarMore()
        fitting.members = more.members.filter { rendered.members[$0.key] == members[$0.key] }
        fitting.custom = more.custom.filter { rendered.custom[$0.key] == custom[$0.key] }
        return with(fitting)
    }

    /// The item that has these members.
    func item() throws(FormatFault) -> ToDoItem {
        var all = json
        if members["title"] == nil { all.append(JSONMember("title", .text(""))) }
        all.append(JSONMember("tandem", .number(JSONLinesFormat.version)))
        return try JSONLinesEntryReader.item(.object(all), entry: 1)
    }

    private var json: [JSONMember] {
        func sorted(_ members: [String: JSONValue]) -> [JSONMember] {
            members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { JSONMember($0.key, $0.value) }
        }
        return sorted(members)
            + (custom.isEmpty ? [] : [JSONMember("custom", .object(sorted(custom)))])
    }
}
