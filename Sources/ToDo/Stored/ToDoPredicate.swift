import Records
import Storage

/// A filter's conditions → the store's predicates, where the store can tell.
enum ToDoPredicate {
    private typealias Number = ToDoSchema.Number

    /// The predicate that takes the same to-dos; nil if only the to-do itself can tell.
    static func compile(_ condition: ToDoFilter.Condition, zone: LocalTimeZone) -> Predicate? {
        switch condition {
        case .text(let text):
            .or([.contains(.field(Number.title), text), .contains(.field(Number.notes), text)])
        case .titleContains(let text): .contains(.field(Number.title), text)
        case .notesContain(let text): .contains(.field(Number.notes), text)
        case .locationContains(let text): .contains(.field(Number.location), text)
        case .project(""), .virtual(.project): nil
        case .tag(let tag): .has(Number.tags, tag)
        case .status(.pending), .virtual(.pending): .absent(.field(Number.status))
        case .status(let status): .compare(.field(Number.status), .equal, .text(status.rawValue))
        case .virtual(.completed):
            .compare(.field(Number.status), .equal, .text(ToDoStatus.completed.rawValue))
        case .not(let inner): compile(inner, zone: zone).map { .not($0) }
        default: nil
        }
    }
}
