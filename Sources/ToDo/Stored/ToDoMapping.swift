import Core
import JSON
import Storage

/// To-dos ↔ records.
package enum ToDoMapping {
    private typealias Number = ToDoSchema.Number

    private static let dates: [(ToDoDateField, UInt32)] = [
        (.due, Number.due), (.scheduled, Number.scheduled), (.wait, Number.wait),
        (.until, Number.until), (.start, Number.start), (.finish, Number.finish),
    ]

    // MARK: Record → to-do

    /// The status that a record shows; one of a newer version counts as pending.
    package static func status(of stored: Record) -> ToDoStatus {
        guard case .text(let word)? = stored[Number.status] else { return .pending }
        return ToDoStatus(rawValue: word) ?? .pending
    }

    /// The to-do as a record shows it.
    ///
    /// `modified` is the time of the record's last write.
    package static func item(_ stored: Record) -> ToDoItem {
        var item = ToDoItem(title: "")
        fill(&item, from: stored)
        return item
    }

    /// Fills an empty to-do: one that closures hold would be copied once more when it is returned.
    private static func fill(_ item: inout ToDoItem, from stored: Record) {
        item.identifier = stored.id.value
        for write in stored.record.writes {
            let time = write.timestamp.milliseconds
            item.modified = item.modified.map { max($0, time) } ?? time
        }
        var completed: Int64?
        var sets: [(number: UInt32, element: Value)] = []
        // One look at each value: lists show hundreds of records.
        stored.record.forEachVisible { field, value in
            switch field {
            case .number(Number.completed):
                if case .instant(let time) = value { completed = time }
            case .number(let number): set(number, to: value, in: &item)
            case .element(.number(let number), let element):
                if case .bool(true) = value { sets.append((number, element)) }
            case .text(let name): if let custom = CustomValue(value) { item.custom[name] = custom }
            case .element: break
            }
        }
        if !sets.isEmpty { fill(&item, with: sets) }
        if item.status == .pending {
            item.completions = []
        } else if item.completions.isEmpty, let completed {
            item.completions = [completed]
        }
    }

    /// Sets the field of a number to a value; one that it cannot have leaves it as it is.
    private static func set(_ number: UInt32, to value: Value, in item: inout ToDoItem) {
        switch (number, value) {
        case (Number.title, .text(let text)): item.title = text
        case (Number.notes, .text(let text)): item.notes = text
        case (Number.project, .text(let text)): item.project = text
        case (Number.location, .text(let text)): item.location = text
        case (Number.due, _): item.due = moment(value)
        case (Number.scheduled, _): item.scheduled = moment(value)
        case (Number.wait, _): item.wait = moment(value)
        case (Number.until, _): item.until = moment(value)
        case (Number.start, _): item.start = moment(value)
        case (Number.finish, _): item.finish = moment(value)
        case (Number.status, .text(let word)): item.status = ToDoStatus(rawValue: word) ?? .pending
        case (Number.created, .instant(let time)): item.created = time
        case (Number.priority, .int(let rank)):
            item.priority = Int(exactly: rank).flatMap(ToDoPriority.init(rawValue:)) ?? .none
        case (Number.parent, _): item.parent = value.toDo?.value
        case (Number.repeats, .text(let text)): item.repeats = text
        case (Number.series, _): item.series = value.toDo?.value
        case (Number.occurrence, .int(let number)):
            item.occurrence = Int(exactly: number).flatMap {
                ToDoItem.occurrences.contains($0) ? $0 : nil
            }
        case (Number.anchor, _): item.anchor = moment(value)
        default: break
        }
    }

    /// Fills the sets of a to-do with the elements that its record shows.
    private static func fill(
        _ item: inout ToDoItem, with sets: [(number: UInt32, element: Value)]
    ) {
        func texts(_ number: UInt32) -> [String] {
            sets.compactMap { $0.number == number ? $0.element.text : nil }
        }
        item.setTags(texts(Number.tags))
        // Most that have any have tags alone.
        if sets.allSatisfy({ $0.number == Number.tags }) { return }
        item.people = texts(Number.people).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        item.setDepends(
            sets.compactMap { $0.number == Number.depends ? $0.element.toDo?.value : nil })
        item.positions = texts(Number.position).compactMap { PositionKey(text: $0) }.sorted()
        item.work = texts(Number.work).compactMap { WorkInterval(text: $0) }
            .sorted { ($0.start, $0.end ?? .max) < ($1.start, $1.end ?? .max) }
        item.setReminders(texts(Number.reminders).compactMap { Reminder(text: $0) })
        item.setExceptions(texts(Number.exceptions).compactMap { ExceptionDay.day($0) })
        item.completions = texts(Number.completions).compactMap { text -> Int64? in
            if case .instant(let time)? = MomentText.value(text) { time } else { nil }
        }.sorted()
    }

    /// The date that a value is; nil for any other kind.
    static func moment(_ value: Value) -> Moment? {
        switch value {
        case .day(let day): .day(day)
        case .instant(let instant): .instant(instant)
        default: nil
        }
    }

    // MARK: To-do → assignments

    /// Returns the assignments that turn a record that shows `old` into one that shows `new`.
    ///
    /// Equal fields are left alone, also those that a to-do of this version has no field for.
    package static func assignments(from old: ToDoItem?, to new: ToDoItem) -> [Assignment] {
        guard let old else { return firstAssignments(to: new) }
        let before = values(of: old)
        let after = values(of: new)
        var assignments: [Assignment] = []
        for (field, value) in after where before[field] != value {
            assignments.append(Assignment(field, value))
        }
        for field in before.keys where after[field] == nil {
            assignments.append(Assignment(field, .null))
        }
        return assignments.sorted { $0.field < $1.field }
    }

    /// Fields that no program of people sets: what another program writes never changes them here.
    private static let untouchedByOthers: Set<Field> = [.number(Number.created)]

    /// The assignments by which another program changed what `old` said into what `new` says.
    static func foreignAssignments(from old: ToDoItem?, to new: ToDoItem) -> [Assignment] {
        assignments(from: old, to: new).filter { !untouchedByOthers.contains($0.field) }
    }

    /// The assignments of a new to-do: without a table of fields, which the runtime would have to make for this alone.
    private static func firstAssignments(to item: ToDoItem) -> [Assignment] {
        var assignments: [Assignment] = []
        // The order of equal fields stays: of those the last one counts.
        for assignment in all(of: item).sorted(by: { $0.field < $1.field }) {
            if assignments.last?.field == assignment.field { assignments.removeLast() }
            assignments.append(assignment)
        }
        return assignments
    }

    /// The fields of a record that shows a to-do; none is null.
    static func values(of item: ToDoItem) -> [Field: Value] {
        var fields: [Field: Value] = [:]
        for assignment in all(of: item) { fields[assignment.field] = assignment.value }
        return fields
    }

    /// The same as assignments; where a field comes twice, the last one counts.
    private static func all(of item: ToDoItem) -> [Assignment] {
        var all: [Assignment] = []
        func put(_ number: UInt32, _ value: Value?) {
            if let value { all.append(Assignment(.number(number), value)) }
        }
        func put(_ number: UInt32, text: String) {
            if !text.isEmpty { put(number, .text(text)) }
        }
        put(Number.title, text: item.title)
        put(Number.notes, text: item.notes)
        put(Number.project, text: item.project)
        put(Number.location, text: item.location)
        for (field, number) in dates { put(number, item[field].map(value)) }
        if item.status != .pending { put(Number.status, text: item.status.rawValue) }
        put(Number.created, item.created.map { .instant($0) })
        if item.priority != .none { put(Number.priority, .int(Int64(item.priority.rawValue))) }
        func put(_ number: UInt32, elements: [String]) {
            for text in elements where !text.isEmpty {
                all.append(Assignment(.element(.number(number), text: text), .bool(true)))
            }
        }
        put(Number.tags, elements: item.tags)
        put(Number.people, elements: item.people)
        put(Number.completions, elements: item.completions.compactMap(MomentText.text(instant:)))
        put(Number.position, elements: item.positions.map(\.text))
        put(Number.work, elements: item.work.compactMap(\.text))
        put(Number.reminders, elements: item.reminders.map(\.text))
        put(Number.repeats, text: item.repeats)
        put(Number.exceptions, elements: item.exceptions.map(ExceptionDay.text))
        put(Number.parent, item.parent.map { .toDo(RecordID(value: $0)) })
        put(Number.series, item.series.map { .toDo(RecordID(value: $0)) })
        for id in item.depends {
            let element = Value.toDo(RecordID(value: id))
            all.append(Assignment(.element(.number(Number.depends), element), .bool(true)))
        }
        put(Number.occurrence, item.occurrence.map { .int(Int64($0)) })
        put(Number.anchor, item.anchor.map(value))
        // Names that differ in form alone are one field: the last by bytes counts, on every device.
        for (name, custom) in item.custom.sorted(by: { Value.text($0.key) < .text($1.key) })
        where !name.isEmpty {
            all.append(Assignment(.custom(name), custom.value))
        }
        return all
    }

    static func value(_ moment: Moment) -> Value {
        switch moment {
        case .day(let day): .day(day)
        case .instant(let instant): .instant(instant)
        }
    }
}

/// The values of a record that its to-do does not show.
extension ToDoMapping {
    /// The fields whose value no to-do of this version shows, as losses of an export.
    ///
    /// Another device may write any value into any field, and a newer version may know more fields.
    static func losses(_ stored: Record, entry: Int) -> [FormatLoss] {
        var shown: Set<Field> = []
        var item: ToDoItem?
        var losses: [FormatLoss] = []
        stored.record.forEachVisible { field, value in
            guard field > .purged, says(value, in: field) else { return }
            let whole = item ?? Self.item(stored)
            if item == nil {
                item = whole
                shown = Set(values(of: whole).keys)
            }
            if shown.contains(field) { return }
            losses.append(
                FormatLoss(
                    entry: entry, title: whole.title, field: BackupLine.name(field),
                    isKnown(field, value) ? CommonReason.unusable : .newerVersion))
        }
        return losses
    }

    /// Whether a value says anything that a to-do could show.
    private static func says(_ value: Value, in field: Field) -> Bool {
        switch (field, value) {
        case (_, .null): false
        case (.element, _): value == .bool(true)
        // These count with a status alone, which an older device may have left out.
        case (.number(Number.completed), _): false
        case (.number(Number.status), .text("pending")): false
        case (_, .text(let text)): !text.isEmpty
        default: true
        }
    }

    private static func isKnown(_ field: Field, _ value: Value) -> Bool {
        if case .unknown = value { return false }
        return switch field {
        case .number(let number), .element(.number(let number), _):
            ToDoSchema.names.contains { $0.number == number }
        case .text: true
        case .element(.text, _): false
        }
    }
}

/// Single values, as people type and read them.
extension ToDoMapping {
    /// The value that was typed for a field; nothing clears it.
    ///
    /// - Throws: what the field takes instead.
    package static func value(
        typed text: String, for field: Field, now: Int64, zone: LocalTimeZone
    ) throws(ToDoWordsError) -> Value {
        if text.isEmpty { return .null }
        guard case .number(let number) = field,
            let schema = ToDoSchema.collections[0].field(number)
        else { return CustomValue(typed: text).value }
        let key = schema.column
        switch schema.kind {
        case .moment:
            do throws(DatePhraseError) {
                return value(try DatePhrase.parse(text, now: now, zone: zone))
            } catch {
                throw .badDate(key: key, error)
            }
        case .int where number == ToDoSchema.Number.priority:
            guard let priority = ToDoPriority(word: text) else {
                throw .badValue(key: key, value: text, hint: "use none, low, medium or high")
            }
            return priority == .none ? .null : .int(Int64(priority.rawValue))
        case .choice:
            guard let status = ToDoStatus(rawValue: text) else {
                throw .badValue(
                    key: key, value: text, hint: "use pending, completed or cancelled")
            }
            return status == .pending ? .null : .text(text)
        case .text where number == ToDoSchema.Number.repeats:
            guard let repetition = Repetition(text: text) else {
                throw .badValue(key: key, value: text, hint: Repetition.hint)
            }
            return .text(repetition.text)
        case .text: return .text(text)
        default: throw .badValue(key: key, value: text, hint: "use --mine or --theirs")
        }
    }

    /// A field's value as a person reads it.
    package static func describe(
        _ value: Value, of field: Field, now: Int64, zone: LocalTimeZone
    ) -> String {
        switch value {
        case .null: field == .number(ToDoSchema.Number.status) ? "pending" : "(nothing)"
        case .bool(let flag): flag ? "yes" : "no"
        case .int(let number): priority(number, of: field)?.word ?? String(number)
        case .instant(let instant): DatePhrase.absolute(.instant(instant), zone: zone)
        case .day(let day): DatePhrase.absolute(.day(day), zone: zone)
        case .bytes(let bytes): bytes.count == 1 ? "1 byte" : "\(bytes.count) bytes"
        case .reference(let name): value.toDo?.uuidText ?? name.description
        default: CustomValue(value)?.displayText ?? "(from a newer version)"
        }
    }

    /// A field's value as JSON, in the forms of our own export.
    package static func json(_ value: Value, of field: Field) -> JSONValue {
        switch value {
        case .null: field == .number(ToDoSchema.Number.status) ? .text("pending") : .null
        case .bool(let flag): .bool(flag)
        case .int(let number):
            priority(number, of: field).map { .text($0.word) } ?? .number(number)
        case .double(let number): number.isFinite ? .number(String(number)) : .null
        case .reference(let name): .text(value.toDo?.uuidText ?? name.description)
        case .bytes: .null
        default: CustomValue(value).map { .text($0.displayText) } ?? .null
        }
    }

    private static func priority(_ number: Int64, of field: Field) -> ToDoPriority? {
        guard field == .number(ToDoSchema.Number.priority) else { return nil }
        return Int(exactly: number).flatMap(ToDoPriority.init(rawValue:))
    }
}
