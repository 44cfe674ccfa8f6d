/// A key before the colon in words such as `due:friday`.
enum ToDoKey: Equatable {
    case title
    case notes
    case project
    case location
    case people
    case tags
    case status
    case priority
    case date(ToDoDateAttribute)
    case repeats
    case parent
    /// A field the user added: `x.name`.
    case custom(String)

    /// Every spelling of the keys with a fixed name.
    static let names: [(name: String, key: ToDoKey)] = [
        ("title", .title), ("description", .title), ("notes", .notes), ("note", .notes),
        ("project", .project), ("location", .location), ("people", .people),
        ("person", .people), ("tags", .tags), ("tag", .tags), ("status", .status),
        ("priority", .priority), ("pri", .priority), ("due", .date(.due)),
        ("scheduled", .date(.scheduled)), ("wait", .date(.wait)), ("until", .date(.until)),
        ("start", .date(.start)), ("finish", .date(.finish)), ("completed", .date(.completed)),
        ("end", .date(.completed)), ("created", .date(.created)), ("entry", .date(.created)),
        ("modified", .date(.modified)), ("repeat", .repeats), ("recur", .repeats),
        ("every", .repeats), ("parent", .parent),
    ]

    static func named(_ name: Substring) -> ToDoKey? {
        names.first { $0.name == name }?.key
    }
}
