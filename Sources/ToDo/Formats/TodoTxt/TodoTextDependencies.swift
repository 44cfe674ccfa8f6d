/// `dep:` of todo.txt, which names another line by its `id:`.
///
/// Lines of other programs, whose ids are any words, are tied to those that they name; a name that no line or several
/// lines have stays a field of the user's own.
struct TodoTextDependencies {
    /// The key, and the custom field of names that no line has.
    static let key = "dep"

    /// The to-dos of the lines that have a name.
    private var lines: [String: [UInt128]] = [:]

    /// Ties all lines of a file.
    static func tie(_ items: inout [ToDoItem]) {
        var dependencies = TodoTextDependencies()
        for item in items { dependencies.note(item) }
        for index in items.indices { dependencies.tie(&items[index]) }
    }

    /// Whether a to-do waits for lines by their names.
    static func waitsByName(_ item: ToDoItem) -> Bool {
        guard case .text? = item.custom[key] else { return false }
        return true
    }

    /// Notes the name of a line, if it has one.
    mutating func note(_ item: ToDoItem) {
        guard let name = item.custom["id"]?.displayText, let identifier = item.identifier else {
            return
        }
        lines[name, default: []].append(identifier)
    }

    /// Ties a line to those that it names, of all that were noted.
    func tie(_ item: inout ToDoItem) {
        guard case .text(let text)? = item.custom[Self.key] else { return }
        var left: [String] = []
        var depends = item.depends
        for name in text.split(separator: ",").map({ String($0) }) {
            if let found = lines[name], found.count == 1 {
                depends += found
            } else {
                left.append(name)
            }
        }
        item.setDepends(depends)
        item.custom[Self.key] = left.isEmpty ? nil : .text(left.joined(separator: ","))
    }
}
