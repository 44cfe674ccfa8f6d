import Core
import Replica
import Storage
import ToDo

/// What people do on their devices.
extension World {
    /// Runs an edit of one record on a device, and has its writes taken note of.
    func edit(
        _ name: String, _ item: String, _ kind: History.Kind, _ words: String,
        form: History.Form? = nil, isElsewhere: Bool,
        _ body: (Transaction) throws(StoreFault) -> Void
    ) throws {
        let device = try device(name)
        let own = try store(device)
        let id = Vocabulary.record(item)
        let past = try own.record(id)?.record.clock ?? VersionVector()
        do {
            if isElsewhere {
                let other = try open(device)
                do throws(StoreFault) {
                    try other.edit(body)
                } catch {
                    leave(other, on: device)
                    throw error
                }
                leave(other, on: device)
            } else {
                try own.edit(body)
            }
        } catch let fault as StoreFault {
            if device.disk.hasFuseBlown {
                oracle.editDied(device.lane, id, kind, past: past)
                try die(device)
                throw Refused.down(name)
            }
            if device.hasWrongBit, Refused(fault) == nil { throw try damaged(device, fault) }
            guard let refused = Refused(fault) else { throw fault }
            throw refused
        }
        if device.disk.hasFuseBlown {
            // Committed all the same, perhaps: the program died before it could say so.
            oracle.editDied(device.lane, id, kind, past: past)
            try die(device)
            throw Refused.down(name)
        }
        try judging(device) { try oracle.edited(device.lane, own, id, kind, form, past: past) }
        if device.store == nil { throw Refused(.corrupt, "the store of \(name) is damaged") }
        try look(device)
        count("edits")
        if options.keepsChronicle, let glimpse = try glimpse(id, on: device) {
            tell(device.lane, .wrote(item: item, words: words, glimpse))
        }
        try notice(device)
    }

    /// Ends a second program on a device as its disk lets it end.
    private func leave(_ other: Store, on device: Device) {
        if device.disk.hasFuseBlown { other.abandon() } else { other.close() }
    }

    /// Lets a device's sessions know of commits.
    func notice(_ device: Device) throws {
        guard let replica = device.replica else { return }
        try dispatch(replica.noticeChanges(now: instant), of: device)
    }

    func create(_ device: String, _ item: String, _ settings: [Setting], isElsewhere: Bool) throws {
        let id = Vocabulary.record(item)
        if let found = try store(self.device(device)).record(id) {
            throw Refused(
                found.verdict.isDeleted ? .deleted : .exists, "\(device) has \(item) already")
        }
        let words = StoryWriter.words(of: settings)
        let assignments = Vocabulary.assignments(settings)
        try edit(
            device, item, .edit, words, form: History.Form(assignments), isElsewhere: isElsewhere
        ) { edit throws(StoreFault) in
            try edit.insert(assignments, into: ToDoSchema.collection, id: id)
        }
    }

    func save(
        _ device: String, _ item: String, _ assignments: [Assignment], _ words: String,
        resolves: Bool = false, isElsewhere: Bool
    ) throws {
        let id = Vocabulary.record(item)
        let before = try store(self.device(device)).record(id)
        let form = History.Form(assignments, resolves: resolves)
        try edit(device, item, .edit, words, form: form, isElsewhere: isElsewhere) {
            edit throws(StoreFault) in
            try edit.update(id, assignments, resolves: resolves)
        }
        if let before, before.verdict.isDeleted {
            throw Violation(
                .resurrection, "a save on \(item), which \(device) knows to be deleted, was taken")
        }
        guard resolves, let after = try self.device(device).store?.record(id) else { return }
        for conflict in after.record.fieldConflicts
        where assignments.contains(where: { $0.field == conflict.field }) {
            throw Violation(
                .expectationFailed,
                "\(Vocabulary.name(of: conflict.field)) of \(item) is in conflict on \(device) though it"
                    + " was resolved")
        }
    }

    /// Sets the status and when it was reached, as the program does.
    func setStatus(_ device: String, _ item: String, isDone: Bool, isElsewhere: Bool) throws {
        let time = wall(of: try self.device(device))
        typealias Number = ToDoSchema.Number
        let assignments = [
            Assignment(.number(Number.status), isDone ? .text("completed") : .null),
            Assignment(.number(Number.completed), isDone ? .instant(time) : .null),
        ]
        try save(
            device, item, assignments, isDone ? "completed" : "reopened", isElsewhere: isElsewhere)
    }

    func delete(_ device: String, _ item: String, isElsewhere: Bool) throws {
        let id = Vocabulary.record(item)
        try edit(device, item, .delete, "deleted", isElsewhere: isElsewhere) {
            edit throws(StoreFault) in try edit.delete(id)
        }
    }

    func restore(_ device: String, _ item: String, isElsewhere: Bool) throws {
        let id = Vocabulary.record(item)
        try edit(device, item, .restore, "restored", isElsewhere: isElsewhere) {
            edit throws(StoreFault) in try edit.restore(id)
        }
    }

    func purge(_ device: String, _ item: String, isForced: Bool, isElsewhere: Bool) throws {
        let id = Vocabulary.record(item)
        try edit(device, item, .purge, "purged", isElsewhere: isElsewhere) {
            edit throws(StoreFault) in try edit.purge(id, isForced: isForced)
        }
    }

    // MARK: The editor

    /// Takes down an item's fields as they are shown.
    func openEditor(_ name: String, _ item: String) throws {
        let device = try device(name)
        guard let stored = try store(device).record(Vocabulary.record(item)) else {
            throw Refused(.missing, "\(name) has no \(item)")
        }
        if stored.verdict.isDeleted { throw Refused(.deleted, "\(item) is deleted on \(name)") }
        var form: [Field: Value] = [:]
        for field in stored.record.fields {
            if let value = stored.record.visible(field), !value.isNull { form[field] = value }
        }
        device.editors[item] = form
        tell(device.lane, .befell("opens \(item) in the editor"))
    }

    /// Saves what was changed in the editor against what it showed when it was opened.
    func saveEditor(_ name: String, _ item: String, _ settings: [Setting]) throws {
        let device = try device(name)
        guard let form = device.editors[item] else {
            throw Refused(.missing, "\(name) does not have \(item) open in the editor")
        }
        let changed = Vocabulary.assignments(settings).filter {
            (form[$0.field] ?? .null) != $0.value
        }
        let words = "saved from the editor: \(StoryWriter.words(of: settings))"
        try save(name, item, changed, words, isElsewhere: false)
        device.editors[item] = nil
    }

    // MARK: Newer versions

    /// Makes a record of a collection that older versions do not know.
    func createNewer(_ device: String, _ item: String) throws {
        let id = Vocabulary.record(item)
        if try store(self.device(device)).record(id) != nil {
            throw Refused(.exists, "\(device) has \(item) already")
        }
        try edit(device, item, .edit, "of a newer kind", isElsewhere: false) {
            edit throws(StoreFault) in
            try edit.insert(
                [Assignment(.number(2), .text(item))], into: Vocabulary.gadgets, id: id)
        }
    }

    // MARK: Looking

    /// A record as a device holds it, in words.
    func glimpse(_ id: RecordID, on device: Device) throws -> RecordGlimpse? {
        guard let store = device.store, let stored = try store.record(id) else { return nil }
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
                    values[values.count - 1] += ", " + StoryWriter.element(element)
                } else {
                    values.append("\(name) = \(StoryWriter.element(element))")
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
        return RecordGlimpse(
            clock: clock, values: values, conflicts: conflicts, state: state(of: stored))
    }

    func state(of stored: StoredRecord?) -> ItemState {
        guard let stored else { return .missing }
        if !stored.verdict.isDeleted { return .alive }
        return stored.verdict.isPurged ? .purged : .deleted
    }

    /// Takes down what arrived.
    func tellMerged(_ device: Device, after sequence: UInt64?) throws {
        // From a disk that has just failed nothing is read.
        guard options.keepsChronicle, let sequence, let store = device.store,
            store.sequence > sequence, !device.disk.hasFuseBlown
        else { return }
        for id in try store.news(after: sequence).records.map(\.id) {
            guard let item = itemNames[id], let glimpse = try glimpse(id, on: device) else {
                continue
            }
            tell(device.lane, .merged(item: item, glimpse))
        }
    }
}
