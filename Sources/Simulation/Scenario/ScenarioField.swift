import Storage
import ToDo

/// The fields of items: those of the to-do schema, and any others by their names.
enum ScenarioField {
    /// A text that only the newer version has a column for.
    static let newer = "mood"

    /// The fields with a kind of their own, `mood` of the newer version included.
    static let builtIn = ToDoSchema.names.map(\.name) + [newer]

    /// The values of a status.
    static let statuses = ToDoStatus.allCases.map(\.rawValue)

    private static let kinds: [String: ColumnKind] = Dictionary(
        uniqueKeysWithValues: ToDoSchema.collections[0].fields.map { ($0.column, $0.kind) })

    /// The kind of the field; nil for a field of one's own, which holds anything.
    static func kind(of field: String) -> ColumnKind? {
        switch field {
        case "deleted", "purged": .bool
        case newer: .text
        default: kinds[field]
        }
    }

    /// Whether the field is a set of the schema.
    static func isSet(_ field: String) -> Bool { kinds[field] == .set }

    /// Whether the field can hold the value; none and values of newer versions go everywhere.
    static func fits(_ value: Literal, _ field: String) -> Bool {
        if field == "status", case .text(let text) = value { return statuses.contains(text) }
        return switch (kind(of: field), value) {
        case (nil, _), (_, .none), (_, .newer): true
        case (.text, .text), (.text, .long), (.moment, .day), (.int, .number), (.bool, .bool): true
        case (.reference, .item): true
        default: false
        }
    }

    /// The values that the field takes, and how they are written.
    static func requirement(of field: String) -> (what: String, hint: String) {
        switch kind(of: field) {
        case .choice:
            (
                ScenarioLine.enumeration(statuses.map { ScenarioText.quoted($0) }, "or"),
                "write it in quotes: `status \"\(statuses[0])\"`"
            )
        case .text: ("a text", "write it in quotes: `\(field) \"Oat milk\"`")
        case .moment: ("a day", "write the date: `\(field) 2026-12-01`")
        case .int: ("a whole number", "write it in digits: `\(field) 2`")
        case .bool: ("`true` or `false`", "write `\(field) to true`")
        case .reference: ("another item", "write its name: `\(field) @milk`")
        case .set:
            (
                "elements",
                "add with `\(field) +shop`, take away with `\(field) -shop`, expect `\(field) shop`"
            )
        default:
            (
                "a value",
                "write a text in quotes, a number, a date, `true`, `false`, `none`, `@item` or `newer 5`"
            )
        }
    }
}
