/// The values of keys that take several, joined where a line names them more than once: all of them are meant, whatever
/// their order.
enum JoinedAssignments {
    /// Joins `+a tags:b tags:c` to `tags:a,b,c`, and people, reminders and days that are left out alike.
    ///
    /// - Throws: `bothWays` if a tag or a day is added and removed.
    static func join(
        _ typed: [ToDoAssignment]
    ) throws(ToDoWordsError) -> [ToDoAssignment] {
        try refuseBothWays(typed)
        var tags: [String] = []
        var people: [String] = []
        var reminders: [Reminder] = []
        var days: [Int32] = []
        var (replacesTags, replacesDays) = (false, false)
        for assignment in typed {
            switch assignment {
            case .tags(let new):
                tags += new
                replacesTags = true
            case .addTag(let tag): tags.append(tag)
            case .people(let new): people += new
            case .reminders(let new): reminders += new
            case .exceptions(let new):
                days += new
                replacesDays = true
            case .addExceptions(let new): days += new
            default: break
            }
        }
        var joined: [ToDoAssignment] = []
        var (hasTags, hasPeople, hasReminders, hasDays) = (false, false, false, false)
        for assignment in typed {
            switch assignment {
            case .tags, .addTag:
                guard replacesTags else {
                    joined.append(assignment)
                    continue
                }
                if !hasTags { joined.append(.tags(unique(tags))) }
                hasTags = true
            case .people:
                if !hasPeople { joined.append(.people(unique(people))) }
                hasPeople = true
            case .reminders:
                if !hasReminders { joined.append(.reminders(unique(reminders))) }
                hasReminders = true
            case .exceptions, .addExceptions:
                guard replacesDays else {
                    joined.append(assignment)
                    continue
                }
                if !hasDays { joined.append(.exceptions(unique(days))) }
                hasDays = true
            default: joined.append(assignment)
            }
        }
        return joined
    }

    private static func refuseBothWays(_ typed: [ToDoAssignment]) throws(ToDoWordsError) {
        for assignment in typed {
            switch assignment {
            case .removeTag(let tag):
                let isAdded = typed.contains { other in
                    switch other {
                    case .tags(let new): new.contains(tag)
                    case .addTag(let new): new == tag
                    default: false
                    }
                }
                if isAdded { throw .bothWays("the tag \(tag)") }
            case .removeExceptions(let days):
                for case .exceptions(let new) in typed where new.contains(where: days.contains) {
                    throw .bothWays("a day of except:")
                }
                for case .addExceptions(let new) in typed where new.contains(where: days.contains) {
                    throw .bothWays("a day of except:")
                }
            default: break
            }
        }
    }

    private static func unique<Value: Equatable>(_ values: [Value]) -> [Value] {
        values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension DependencyWord {
    /// The changes of several words: those that replace come first and count together, whatever their order.
    static func joined(_ typed: [DependencyWord]) -> [DependencyWord] {
        let replacing = typed.filter { $0.change == .replace }
        guard let first = replacing.first else { return typed }
        return [first]
            + replacing.dropFirst().map { DependencyWord(.add, $0.names) }
            + typed.filter { $0.change != .replace }
    }
}
