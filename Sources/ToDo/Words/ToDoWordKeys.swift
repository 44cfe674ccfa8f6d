/// The keys that may stand before a colon, for those who offer them to a person.
package enum ToDoWordKeys {
    /// What stands behind the colon.
    package enum Meaning: Sendable {
        case project
        case location
        case people
        case tags
        case priority
        case status
        case date
        /// How a to-do comes again.
        case rule
        /// Another to-do.
        case parent
        /// Any text.
        case text
    }

    /// What stands behind a key; any text if it is none.
    package static func meaning(of name: String) -> Meaning {
        switch ToDoKey.named(name[...]) {
        case .project?: .project
        case .location?: .location
        case .people?: .people
        case .tags?: .tags
        case .priority?: .priority
        case .status?: .status
        case .date?: .date
        case .repeats?: .rule
        case .parent?: .parent
        case .title?, .notes?, .custom?, nil: .text
        }
    }

    /// One name for each key, in the order of the help.
    ///
    /// - Parameter forFilters: whether they choose among to-dos; the others give values to one.
    package static func names(forFilters: Bool) -> [String] {
        let both = [
            "due", "scheduled", "wait", "until", "start", "finish", "project", "priority", "notes",
            "location", "people", "tags", "status",
        ]
        return both
            + (forFilters ? ["title", "completed", "created", "modified"] : ["repeat", "parent"])
    }
}
