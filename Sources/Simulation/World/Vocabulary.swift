import Core
import Storage
import ToDo

/// The words of a scenario in the engine's terms.
enum Vocabulary {
    /// A field that only the newer version knows.
    static let mood: UInt32 = 60
    /// A collection that only the newer version knows.
    static let gadgets = CollectionID.number(77)

    /// How a value begins that is [99, number]: an array is no kind of value that this version knows.
    private static let newerKind: [UInt8] = [0x82, 0x18, 0x63]

    /// The collections of the version that runs.
    static func schema(isNewer: Bool) -> [CollectionSchema] {
        guard isNewer else { return ToDoSchema.collections }
        var todo = ToDoSchema.collections[0]
        todo = CollectionSchema(
            todo.id, "todo", fields: todo.fields + [FieldSchema(mood, "mood", .text)],
            indexes: [["state", "status", "due"]])
        let gadgets = CollectionSchema(
            gadgets, "gadget", fields: [FieldSchema(2, "title", .text)])
        return [todo, gadgets] + ToDoSchema.collections.dropFirst()
    }

    /// How the names of items begin that are no to-dos, but of the collection that only the newer version knows.
    private static let gadgetPrefix = "gadget"
    /// How the names of those begin that share the id of a to-do, whose name follows.
    static let twinPrefix = "gadget-"

    /// The record that an item's name stands for.
    static func record(_ item: String) -> RecordName {
        let isTwin = item.hasPrefix(twinPrefix)
        let key = isTwin ? String(item.dropFirst(twinPrefix.count)) : item
        return RecordName(
            item.hasPrefix(gadgetPrefix) ? gadgets : ToDoSchema.collection,
            Store.derivedID(ToDoSchema.collection, key: key))
    }

    /// A field by its name in scenarios.
    static func field(_ name: String) -> Field {
        switch name {
        case "deleted": .deleted
        case "mood": .number(mood)
        default: ToDoSchema.field(named: name)
        }
    }

    /// The name of a field in scenarios.
    static func name(of field: Field) -> String {
        field == .number(mood) ? ScenarioField.newer : ToDoSchema.name(of: field)
    }

    /// The name of a set's field; the element is added to it.
    static func element(_ set: String, _ element: String) -> Field {
        switch field(set) {
        case .number(let number): .element(.number(number), text: element)
        case .text(let name), .element(.text(let name), _): .element(.text(name), text: element)
        case .element(let name, _): .element(name, text: element)
        }
    }

    /// A value.
    static func value(_ literal: Literal) -> Value {
        switch literal {
        case .none: .null
        case .bool(let value): .bool(value)
        case .number(let number): .int(number)
        case .text(let text): .text(text)
        case .long(let count): .text(longText(count))
        case .day(let day): .day(day)
        case .item(let name): .reference(record(name))
        case .newer(let number):
            .unknown(newerKind + (number < 24 ? [number] : [0x18, number]))
        case .other(let value): value
        }
    }

    /// The text of so many bytes.
    private static func longText(_ count: Int) -> String {
        String(String(repeating: "long ", count: count / 5 + 1).prefix(count))
    }

    /// The assignments of an edit, sorted by field.
    static func assignments(_ settings: [Setting]) -> [Assignment] {
        var found: [Field: Value] = [:]
        for setting in settings {
            switch setting {
            case .value(let name, let literal): found[field(name)] = value(literal)
            case .add(let name, let element): found[self.element(name, element)] = .bool(true)
            case .remove(let name, let element): found[self.element(name, element)] = .null
            }
        }
        return found.map { Assignment($0.key, $0.value) }.sorted { $0.field < $1.field }
    }

    /// A value as a person reads it.
    static func words(_ value: Value?) -> String {
        switch value {
        case nil, .null: "none"
        case .text(let text) where text.utf8.count > 100 && text == longText(text.utf8.count):
            "long \(text.utf8.count)"
        case .text(let text): "\"\(text)\""
        case .bool(let value): "\(value)"
        case .int(let number): "\(number)"
        case .day(let day): ScenarioWriter.date(day)
        case .unknown(let bytes) where bytes.starts(with: newerKind):
            "newer \(bytes[bytes.count - 1])"
        case .instant(let milliseconds): words(ofInstant: milliseconds)
        case let value?: value.textForm.map { "\(value.kind.rawValue) \"\($0)\"" } ?? "\(value)"
        }
    }

    /// `2027-01-15 08:00:02.004`, in UTC; the fraction only if there is one.
    private static func words(ofInstant milliseconds: Int64) -> String {
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let length: Int64 = 86_400_000
        let time = (milliseconds % length + length) % length
        guard let day = Int32(exactly: (milliseconds - time) / length) else {
            return "\(milliseconds) ms"
        }
        let parts = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60]
        let fraction = time % 1_000 == 0 ? "" : "." + padded(time % 1_000, 3)
        return ScenarioWriter.date(day) + " " + parts.map { padded($0, 2) }.joined(separator: ":")
            + fraction
    }
}

/// Records as devices hold them, for traces and expectations.
extension World {
    /// A record as a device holds it, in words.
    func glimpse(_ name: RecordName, on device: SimulatedDevice) throws -> RecordGlimpse? {
        guard let store = device.store, let stored = try store.record(name) else { return nil }
        let record = stored.record
        let clock = record.clock.entries.map { "\(self.name(of: $0.replica)): \($0.counter)" }
        var values: [String] = []
        var set: String?
        for field in record.fields where field != .deleted && field != .purged {
            guard let value = record.visible(field), !value.isNull else { continue }
            if case .element(let name, .text(let element)) = field, value == .bool(true) {
                // The elements of a set follow each other.
                let name = Vocabulary.name(of: Field(name))
                if set == name {
                    values[values.count - 1] += ", " + ScenarioWriter.element(element)
                } else {
                    values.append("\(name) = \(ScenarioWriter.element(element))")
                }
                set = name
            } else {
                values.append("\(Vocabulary.name(of: field)) = \(Vocabulary.words(value))")
                set = nil
            }
        }
        var conflicts = record.fieldConflicts.map { conflict in
            let values = conflict.candidates.map { Vocabulary.words($0.value) }
            return "\(Vocabulary.name(of: conflict.field)): \(values.joined(separator: " or "))"
        }
        if stored.verdict.isContested { conflicts.append("deleted here, edited there") }
        if stored.standing == .editedAfterPurge { conflicts.append("purged here, edited there") }
        return RecordGlimpse(
            clock: clock, values: values, conflicts: conflicts, state: state(of: stored))
    }

    func state(of stored: Record?) -> ItemState {
        guard let stored else { return .missing }
        switch stored.standing {
        case .live: return .alive
        case .trashed: return .deleted
        case .purged, .editedAfterPurge: return .purged
        }
    }

    /// Takes down what arrived.
    func tellMerged(_ device: SimulatedDevice, after sequence: UInt64?) throws {
        // From a disk that has just failed nothing is read.
        guard options.keepsTrace, let sequence, let store = device.store,
            store.sequence > sequence, !device.disk.hasFuseBlown
        else { return }
        for name in try store.news(after: sequence).records.map(\.name) {
            guard let item = itemNames[name], let glimpse = try glimpse(name, on: device) else {
                continue
            }
            tell(device.index, .merged(item: item, glimpse))
        }
    }
}
