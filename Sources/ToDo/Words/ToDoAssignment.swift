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

extension ToDoAssignment {
    /// What a key and its value say; `parent:` is none of them, as only the store knows the other to-do.
    init(_ word: KeyedWord, _ context: DatePhraseContext) throws(ToDoWordsError) {
        switch word.key {
        case .title:
            guard word.value.contains(where: { !$0.isWhitespace }) else {
                throw .badValue(
                    key: word.name, value: word.value, hint: "a to-do needs some title")
            }
            self = .title(word.value)
        case .notes: self = .notes(word.value)
        case .project: self = .project(word.value)
        case .location: self = .location(word.value)
        case .people: self = .people(word.list)
        case .tags: self = .tags(word.list)
        case .status: self = .status(try word.status())
        case .priority: self = .priority(try word.priority())
        case .repeats:
            guard !word.value.isEmpty else {
                self = .repeats(nil)
                return
            }
            guard let rule = Repetition(text: word.value) else {
                throw .badValue(key: word.name, value: word.value, hint: Repetition.hint)
            }
            self = .repeats(rule)
        case .parent:
            throw .badValue(key: word.name, value: word.value, hint: "say which to-do")
        case .custom(let name):
            self = .custom(name, word.value.isEmpty ? nil : CustomValue(typed: word.value))
        case .date(let attribute):
            guard let field = attribute.field else {
                throw .badValue(
                    key: word.name, value: word.value,
                    hint: "it is kept by the program; use start: and finish: for your own times")
            }
            self = .date(field, word.value.isEmpty ? nil : try word.moment(context))
        }
    }
}
