/// The dates of a to-do that the user sets.
package enum ToDoDateField: String, Sendable, CaseIterable {
    case due
    case scheduled
    case wait
    case until
    case start
    case finish
}

extension ToDoItem {
    /// One of the dates that the user sets.
    package subscript(field: ToDoDateField) -> Moment? {
        get {
            switch field {
            case .due: due
            case .scheduled: scheduled
            case .wait: wait
            case .until: until
            case .start: start
            case .finish: finish
            }
        }
        set {
            switch field {
            case .due: due = newValue
            case .scheduled: scheduled = newValue
            case .wait: wait = newValue
            case .until: until = newValue
            case .start: start = newValue
            case .finish: finish = newValue
            }
        }
    }
}
