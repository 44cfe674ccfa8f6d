/// One change to one field, as typed.
package enum ToDoAssignment: Sendable, Equatable {
    case title(String)
    /// "" clears, like in the next two.
    case notes(String)
    case project(String)
    case location(String)
    case people([String])
    /// Replaces all tags.
    case tags([String])
    case addTag(String)
    case removeTag(String)
    case status(ToDoStatus)
    case priority(ToDoPriority)
    /// nil clears.
    case date(ToDoDateField, Moment?)
    /// How it comes again; nil for not at all.
    case repeats(Repetition?)
    /// nil removes the field.
    case custom(String, CustomValue?)
}

extension ToDoItem {
    /// Makes a change; a new status sets or clears `completed`.
    ///
    /// - Parameter now: milliseconds since 1970.
    package mutating func apply(_ assignment: ToDoAssignment, now: Int64) {
        switch assignment {
        case .title(let text): title = text
        case .notes(let text): notes = text
        case .project(let text): project = text
        case .location(let text): location = text
        case .people(let names): people = names
        case .tags(let new): setTags(new)
        case .addTag(let tag): addTag(tag)
        case .removeTag(let tag): removeTag(tag)
        case .status(let new):
            guard new != status else { return }
            status = new
            completed = new == .pending ? nil : now
        case .priority(let new): priority = new
        case .date(let field, let moment): self[field] = moment
        case .repeats(let rule):
            repeats = rule?.text ?? ""
            // The schedule begins with the date that stands there now.
            anchor = nil
        case .custom(let name, let value): custom[name] = value
        }
    }
}
