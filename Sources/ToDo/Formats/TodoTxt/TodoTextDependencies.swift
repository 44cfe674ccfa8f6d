/// `dep:` of todo.txt, which names another line by its `id:`.
enum TodoTextDependencies {
    /// The key, and the custom field of names that no line has.
    static let key = "dep"

    /// Ties lines of other programs, whose ids are any words, to those that they name; a name that no line or several
    /// lines have stays a field of the user's own.
    static func tie(_ items: inout [ToDoItem]) {
        var lines: [String: [UInt128]] = [:]
        for item in items {
            guard let name = item.custom["id"]?.displayText, let identifier = item.identifier else {
                continue
            }
            lines[name, default: []].append(identifier)
        }
        for index in items.indices {
            guard case .text(let text)? = items[index].custom[key] else { continue }
            var left: [String] = []
            var depends = items[index].depends
            for name in text.split(separator: ",").map({ String($0) }) {
                if let found = lines[name], found.count == 1 {
                    depends += found
                } else {
                    left.append(name)
                }
            }
            items[index].setDepends(depends)
            items[index].custom[key] =
                left.isEmpty ? nil : .text(left.joined(separator: ","))
        }
    }
}
