/// Any date of a to-do, also those that only the program sets.
package enum ToDoDateAttribute: String, Sendable, CaseIterable {
    case due
    case scheduled
    case wait
    case until
    case start
    case finish
    case completed
    case created
    case modified

    /// The field, if the user may set it.
    package var field: ToDoDateField? { ToDoDateField(rawValue: rawValue) }
}

extension ToDoItem {
    /// Any of the item's dates.
    package func date(_ attribute: ToDoDateAttribute) -> Moment? {
        if let field = attribute.field { return self[field] }
        let instant =
            switch attribute {
            case .completed: completed
            case .created: created
            default: modified
            }
        return instant.map { .instant($0) }
    }
}
