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

    /// What people shorten a key to, or call it in todo.txt, where that means the same here; never suggested.
    private static let abbreviations: [(name: String, key: ToDoKey)] = [
        ("proj", .project), ("pro", .project), ("prj", .project), ("prio", .priority),
        ("sched", .date(.scheduled)), ("sch", .date(.scheduled)), ("t", .date(.wait)),
        ("loc", .location),
    ]

    static func named(_ name: Substring, orAbbreviated: Bool = false) -> ToDoKey? {
        if let whole = names.first(where: { $0.name == name }) { return whole.key }
        return orAbbreviated ? abbreviations.first { $0.name == name }?.key : nil
    }
}
