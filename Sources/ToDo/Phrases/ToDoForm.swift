import Core

/// A to-do as a form of text, to be changed in an editor.
///
/// A line for each field, then the notes behind a line of hyphens. A line that is taken out, or has
/// nothing behind its colon, clears its field; what the form does not name stays as it is. Dates are written
/// so that they read back as they are, and what is not touched is not written.
package struct ToDoForm: Sendable {
    private static let comment = "#"
    private static let separator = "--- notes below ---"
    private static let dates: [ToDoDateField] = [
        .due, .scheduled, .wait, .until, .start, .finish,
    ]
    /// The keys of the fields that every to-do has.
    private static let keys =
        ["title", "project", "priority", "status"] + dates.map(\.rawValue)
        + ["repeat", "except", "remind", "tags", "people", "location"]
    private let item: ToDoItem
    private let zone: LocalTimeZone

    /// The form of an item.
    package init(_ item: ToDoItem, zone: LocalTimeZone) {
        self.item = item
        self.zone = zone
    }

    /// The fields of a form, by key, in order.
    package var fields: [(key: String, text: String)] {
        allFields.filter(Self.isLine)
    }

    /// The keys of the fields that the form does not name, as they stand in no line.
    package var keysLeftOut: [String] {
        allFields.filter { !Self.isLine($0) }.map(\.key)
    }

    private var allFields: [(key: String, text: String)] {
        var fields = [
            ("title", item.title), ("project", item.project),
            ("priority", item.priority == .none ? "" : item.priority.word),
            ("status", item.status.rawValue),
        ]
        fields += Self.dates.map { ($0.rawValue, item[$0].map(text) ?? "") }
        fields += [
            ("repeat", item.repeats),
            ("except", item.exceptions.map(ExceptionDay.text).joined(separator: ", ")),
            ("remind", item.reminders.map(\.text).joined(separator: ", ")),
            ("tags", item.tags.joined(separator: ", ")),
            ("people", item.people.joined(separator: ", ")), ("location", item.location),
        ]
        for (name, value) in item.custom.sorted(by: { $0.key < $1.key }) {
            fields.append(("x.\(name)", value.displayText))
        }
        return fields
    }

    /// Whether a field stands in a line of the form.
    private static func isLine(_ field: (key: String, text: String)) -> Bool {
        fits(field.text) && isKey(field.key)
    }

    /// Whether a text stands in one line and comes back as it is.
    private static func fits(_ text: String) -> Bool {
        !text.contains(where: \.isNewline) && text.first?.isWhitespace != true
            && text.last?.isWhitespace != true
    }

    private static func isKey(_ name: String) -> Bool {
        !name.contains { $0 == ":" || $0.isNewline } && fits(name)
    }

    private func text(_ moment: Moment) -> String {
        switch moment {
        case .day(let day): return TimestampText.day(Int(day))
        case .instant(let instant):
            let local = zone.localTime(at: instant)
            let clock = [local.hour, local.minute].map { TimestampText.padded($0) }
                .joined(separator: ":")
            let short = "\(TimestampText.day(local.day))T\(clock)"
            // Only what reads back as the same instant is written short.
            let minute = (local.hour * 60 + local.minute) * 60_000
            let whole = LocalTime(day: local.day, millisecondOfDay: minute)
            let isWhole = zone.instant(of: whole) == instant
            return isWhole ? short : TimestampText.rfc3339(instant)
        }
    }

    /// The key of the form that a typed one means: in capitals, in its short form or by another of its names.
    private static func key(_ typed: String) -> String {
        if typed.prefix(2).lowercased() == "x." { return "x." + typed.dropFirst(2) }
        guard let known = ToDoKey.named(typed.lowercased()[...], orAbbreviated: true) else {
            return typed
        }
        return keys.first { ToDoKey.named($0[...]) == known } ?? typed
    }

    /// The place of the line above the notes; a title may hold the same text.
    private static func separatorRange(in text: String) -> Range<String.Index>? {
        text.ranges(of: separator).first { range in
            range.lowerBound == text.startIndex
                || text[text.index(before: range.lowerBound)].isNewline
        }
    }

    /// The form.
    package var text: String {
        let lines = fields.map { "\($0.key): \($0.text)" }
        let help = [
            "# Change what is behind the colons; nothing behind one clears the field.",
            "# Dates as everywhere: tomorrow, fri 17:00, 2026-12-24; x.name: is your own field.",
            "# Up here, lines with # in front are left out. An unchanged form saves nothing.",
        ]
        return (help + lines + [Self.separator, item.notes]).joined(separator: "\n")
            + (item.notes.isEmpty || item.notes.hasSuffix("\n") ? "" : "\n")
    }

    /// Reads a form that was changed.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Returns: the item as it is to be.
    package func read(
        _ text: String, now: Int64, weekStart: Weekday = .monday, dateOrder: DateOrder? = nil
    ) throws(ToDoWordsError) -> ToDoItem {
        var (head, notes) = (text, "")
        if let range = Self.separatorRange(in: text) {
            head = String(text[..<range.lowerBound])
            notes = String(text[range.upperBound...].dropFirst())
        } else {
            notes = item.notes
        }
        let context = DatePhraseContext(
            now: now, zone: zone, weekStart: weekStart, dateOrder: dateOrder)
        var new = item
        let before = Dictionary(fields.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
        var missing = before
        var changed: [String: String] = [:]
        for line in head.split(whereSeparator: \.isNewline) {
            if line.hasPrefix(Self.comment) || line.allSatisfy(\.isWhitespace) { continue }
            guard let colon = line.firstIndex(of: ":") else {
                throw .badValue(
                    key: "the line", value: String(line), hint: "write key: value")
            }
            let key = Self.key(Self.trimmed(line[..<colon]))
            let value = Self.trimmed(line[line.index(after: colon)...])
            missing[key] = nil
            if before[key] == value { continue }
            // Of two values one would be lost.
            if let other = changed.updateValue(value, forKey: key), other != value {
                throw .repeatedKey(key)
            }
            try change(&new, key, value, context)
        }
        for key in missing.keys.sorted() where missing[key]?.isEmpty == false {
            try change(&new, key, "", context)
        }
        let shown =
            item.notes.isEmpty || item.notes.hasSuffix("\n") ? item.notes : item.notes + "\n"
        if notes != shown {
            if new.notes != item.notes { throw .repeatedKey("notes") }
            // An editor ends the last line; the break is none of the notes'.
            new.notes = notes.hasSuffix("\n") ? String(notes.dropLast()) : notes
        }
        new.moveReminders(since: item, in: zone)
        return new
    }

    /// Reads fields of the form that were changed one by one; what is not named stays as it is.
    ///
    /// - Parameters:
    ///   - values: the texts of fields; one that reads as it did changes nothing.
    ///   - notes: the notes; nil leaves them as they are.
    ///   - now: milliseconds since 1970.
    /// - Returns: the item as it is to be.
    package func read(
        _ values: [(key: String, text: String)], notes: String?, now: Int64,
        weekStart: Weekday = .monday, dateOrder: DateOrder? = nil
    ) throws(ToDoWordsError) -> ToDoItem {
        let context = DatePhraseContext(
            now: now, zone: zone, weekStart: weekStart, dateOrder: dateOrder)
        let before = Dictionary(fields.map { ($0.key, $0.text) }, uniquingKeysWith: { $1 })
        var new = item
        for (key, text) in values {
            let value = Self.trimmed(text[...])
            if (before[key] ?? "") == value { continue }
            try change(&new, key, value, context)
        }
        if let notes { new.notes = notes }
        new.moveReminders(since: item, in: zone)
        return new
    }

    private func change(
        _ item: inout ToDoItem, _ key: String, _ value: String, _ context: DatePhraseContext
    ) throws(ToDoWordsError) {
        if key.hasPrefix("x.") {
            item.apply(
                .custom(String(key.dropFirst(2)), value.isEmpty ? nil : CustomValue(typed: value)),
                now: context.now)
            return
        }
        let words = try ToDoWords.parse(
            ["\(key):\(value)"], for: .editing, now: context.now, zone: zone,
            weekStart: context.weekStart, dateOrder: context.dateOrder)
        if words.parent != nil || !words.depends.isEmpty {
            throw .badValue(key: key, value: value, hint: "it is no field of the form")
        }
        if words.assignments.isEmpty { throw .unknownKey(key) }
        for assignment in words.assignments {
            item.apply(try assignment.resolved(in: item, context), now: context.now)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}

/// One change to one field, as typed.
package enum ToDoAssignment: Sendable, Equatable {
    case title(String)
    /// "" clears, like in the next two.
    case notes(String)
    /// A line behind the notes that are there.
    case addToNotes(String)
    /// A line behind the notes that are there, with the time.
    case annotate(String)
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
    /// So long after another date of the same to-do, or after itself.
    case dateAfter(ToDoDateField, ToDoDateField, CalendarDuration)
    /// How it comes again; nil for not at all.
    case repeats(Repetition?)
    /// Replaces all days that are left out of what comes again.
    case exceptions([Int32])
    case addExceptions([Int32])
    case removeExceptions([Int32])
    /// Replaces all reminders.
    case reminders([Reminder])
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
        case .addToNotes(let text):
            if !text.isEmpty { notes = notes.isEmpty ? text : "\(notes)\n\(text)" }
        case .annotate(let text):
            let second = now.quotientRoundedDown(by: 1_000).quotient * 1_000
            notes = AnnotationNotes.adding(text, at: second, to: notes)
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
        // Counted by whoever knows the zone; see `resolved`.
        case .dateAfter: return
        case .date(let field, let moment): self[field] = moment
        case .repeats(let rule):
            repeats = rule?.text ?? ""
            // The schedule begins with the date that stands there now.
            anchor = nil
            if rule == nil { setExceptions([]) }
        case .exceptions(let new): setExceptions(new)
        case .addExceptions(let new): setExceptions(exceptions + new)
        case .removeExceptions(let old): setExceptions(exceptions.filter { !old.contains($0) })
        case .reminders(let new): setReminders(new)
        case .custom(let name, let value): custom[name] = value
        }
    }
}

extension ToDoAssignment {
    /// Whether it says when the to-do is due.
    var isDue: Bool {
        if case .date(.due, _) = self { true } else { false }
    }

    /// Whether it says how the to-do comes again.
    var isRepetition: Bool {
        if case .repeats = self { true } else { false }
    }

    /// The assignment with its date counted from another one of the to-do.
    ///
    /// - Throws: `missingDate` if that is not set.
    func resolved(
        in item: ToDoItem, _ context: DatePhraseContext
    ) throws(ToDoWordsError) -> ToDoAssignment {
        guard case .dateAfter(let field, let base, let duration) = self else { return self }
        guard let date = item[base] else { throw .missingDate(base.rawValue) }
        return .date(
            field, try context.moment(context.adding(duration, to: DateTerm(date)), key: field))
    }

    /// Reads another date of the same to-do, and what is added: `due:scheduled-2weeks`; nil if it is none.
    static func dateAfter(_ field: ToDoDateField, _ value: String) -> ToDoAssignment? {
        DateBeside(value).map { .dateAfter(field, $0.base, $0.duration) }
    }

    /// Notes with one word more; nil if it is of another field.
    func continued(by word: String) -> ToDoAssignment? {
        switch self {
        case .notes(let text): .notes(text.isEmpty ? word : "\(text) \(word)")
        case .addToNotes(let text): .addToNotes(text.isEmpty ? word : "\(text) \(word)")
        default: nil
        }
    }

    /// Reads a key and its value; not `parent:` and `depends:`, as only the store knows the other to-do.
    init(_ word: KeyedWord, _ context: DatePhraseContext) throws(ToDoWordsError) {
        switch word.key {
        case .date, .reminders, .exceptions, .repeats: try word.refuseWordForNone()
        default: break
        }
        switch word.key {
        case .title:
            guard word.value.contains(where: { !$0.isWhitespace }) else {
                throw .badValue(
                    key: word.name, value: word.value, hint: "a to-do needs some title")
            }
            self = .title(word.value)
        case .notes:
            self = word.change == .addition ? .addToNotes(word.value) : .notes(word.value)
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
        case .exceptions:
            let days = try word.days(context)
            self =
                switch word.change {
                case .addition: .addExceptions(days)
                case .removal: .removeExceptions(days)
                case nil: .exceptions(days)
                }
        case .reminders: self = .reminders(try ReminderWords.read(word, context))
        case .parent, .depends:
            throw .badValue(key: word.name, value: word.value, hint: "say which to-do")
        case .custom(let name):
            self = .custom(name, word.value.isEmpty ? nil : CustomValue(typed: word.value))
        case .date(let attribute):
            guard let field = attribute.field else {
                throw .badValue(
                    key: word.name, value: word.value,
                    hint: "it is kept by the program; use start: and finish: for your own times")
            }
            if let counted = Self.dateAfter(field, word.value) {
                self = counted
                return
            }
            self = .date(field, word.value.isEmpty ? nil : try word.moment(context))
        }
    }
}
