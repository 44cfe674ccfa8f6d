import Records
import Storage

/// A filter's condition in the store's terms.
struct ToDoPredicate {
    private typealias Number = ToDoSchema.Number

    /// Takes every to-do that the condition takes.
    let predicate: Predicate
    /// Whether it takes no other; else each to-do is looked at itself.
    let isExact: Bool

    private init(_ predicate: Predicate, isExact: Bool = true) {
        self.predicate = predicate
        self.isExact = isExact
    }

    /// What the store can tell of a condition.
    init(_ condition: ToDoFilter.Condition) {
        let pending = Predicate.absent(.field(Number.status))
        func status(_ status: ToDoStatus) -> Predicate {
            .compare(.field(Number.status), .equal, .text(status.rawValue))
        }
        switch condition {
        case .text(let text):
            self.init(
                .or([.contains(.field(Number.title), text), .contains(.field(Number.notes), text)]))
        case .titleContains(let text): self.init(.contains(.field(Number.title), text))
        case .notesContain(let text): self.init(.contains(.field(Number.notes), text))
        case .locationContains(let text): self.init(.contains(.field(Number.location), text))
        case .project(""), .lacks(.notes), .lacks(.location), .lacks(.people):
            self.init(.all, isExact: false)
        case .project(let name): self.init(.contains(.field(Number.project), name), isExact: false)
        case .tag(let tag): self.init(.has(Number.tags, tag))
        case .status(.pending), .virtual(.pending): self.init(pending)
        case .status(let found): self.init(status(found))
        case .virtual(.completed): self.init(status(.completed))
        case .virtual(.cancelled): self.init(status(.cancelled))
        case .virtual(.overdue), .virtual(.today), .virtual(.tomorrow), .virtual(.yesterday),
            .virtual(.week), .virtual(.due):
            self.init(.and([pending, .not(.absent(.field(Number.due)))]), isExact: false)
        case .virtual(.agenda), .virtual(.waiting), .virtual(.ready), .virtual(.active),
            .virtual(.scheduled), .virtual(.inbox):
            self.init(pending, isExact: false)
        case .date(.due, _): self.init(.not(.absent(.field(Number.due))), isExact: false)
        case .not(let inner):
            let inner = ToDoPredicate(inner)
            self.init(inner.isExact ? .not(inner.predicate) : .all, isExact: inner.isExact)
        case .person, .priority, .date, .custom, .virtual: self.init(.all, isExact: false)
        }
    }
}
