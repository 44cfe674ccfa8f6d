import Core
import Replica
import Storage
import ToDo

// Edits on the devices of a world.

extension EditEvent {
    func apply(to world: World, isElsewhere: Bool) throws {
        switch self {
        case .create(let device, let item, let settings):
            try world.create(device, item, settings, isElsewhere: isElsewhere)
        case .edit(let device, let item, let settings):
            try world.save(
                device, item, Vocabulary.assignments(settings),
                ScenarioWriter.words(of: settings), isElsewhere: isElsewhere)
        case .complete(let device, let item):
            try world.setStatus(device, item, isDone: true, isElsewhere: isElsewhere)
        case .reopen(let device, let item):
            try world.setStatus(device, item, isDone: false, isElsewhere: isElsewhere)
        case .delete(let device, let item):
            try world.delete(device, item, isElsewhere: isElsewhere)
        case .restore(let device, let item):
            try world.restore(device, item, isElsewhere: isElsewhere)
        case .purge(let device, let item, let isForced):
            try world.purge(device, item, isForced: isForced, isElsewhere: isElsewhere)
        case .copy(let device, let item, let copy):
            try world.copy(device, item, as: copy, isElsewhere: isElsewhere)
        case .resolve(let device, let item, let field, let literal):
            let setting = Setting.value(field: field, literal)
            try world.save(
                device, item, Vocabulary.assignments([setting]),
                "resolved: \(ScenarioWriter.words(of: [setting]))", resolves: true,
                isElsewhere: isElsewhere)
        case .upsert(let device, let item, let settings):
            try world.upsert(device, item, settings, isElsewhere: isElsewhere)
        case .openEditor(let device, let item): try world.openEditor(device, item)
        case .saveEditor(let device, let item, let settings):
            try world.saveEditor(device, item, settings)
        }
    }
}

extension World {
    /// The record that an item's name stands for: a copy that was made under this name, else that of its key.
    func record(_ item: String) -> RecordName { copies[item] ?? Vocabulary.record(item) }

    /// Runs an edit of one record on a device, and has its writes taken note of.
    ///
    /// - Parameter copy: the record that the edit makes of it as well.
    func edit(
        _ name: String, _ item: String, _ kind: WriteHistory.Kind, _ words: String,
        form: WriteHistory.Form? = nil, copy: RecordName? = nil, isElsewhere: Bool,
        _ body: (Transaction) throws(StoreFault) -> Void
    ) throws {
        try carryOut(name, item, kind, words, form: form, copy: copy, isElsewhere: isElsewhere) {
            store throws(StoreFault) in
            try store.edit(body)
        }
    }

    /// Runs what edits one record on a device in a transaction of its own.
    func carryOut(
        _ name: String, _ item: String, _ kind: WriteHistory.Kind, _ words: String,
        form: WriteHistory.Form? = nil, copy: RecordName? = nil, isElsewhere: Bool = false,
        _ body: (Store) throws(StoreFault) -> Void
    ) throws {
        let device = try device(name)
        let own = try store(device)
        let id = record(item)
        let past = try own.record(id)?.record.clock ?? VersionVector()
        func noteDeath() {
            if let copy { oracle.editDied(device.index, copy, .copy, past: VersionVector()) }
            oracle.editDied(device.index, id, kind, past: past)
        }
        do {
            if isElsewhere {
                let other = try open(device)
                do throws(StoreFault) {
                    try body(other)
                } catch {
                    leave(other, on: device)
                    throw error
                }
                leave(other, on: device)
            } else {
                try body(own)
            }
        } catch let fault as StoreFault {
            if device.disk.hasFuseBlown {
                noteDeath()
                try die(device)
                throw Refused.down(name)
            }
            if device.hasWrongBit, Refused(fault) == nil { throw try damaged(device, fault) }
            guard let refused = Refused(fault) else { throw fault }
            throw refused
        }
        if device.disk.hasFuseBlown {
            // Committed all the same, perhaps: the program died before it could say so.
            noteDeath()
            try die(device)
            throw Refused.down(name)
        }
        if let copy {
            try judging(device) { try oracle.copied(device.index, own, id, past: past, to: copy) }
        }
        try judging(device) { try oracle.edited(device.index, own, id, kind, form, past: past) }
        if device.store == nil { throw Refused(.corrupt, "the store of \(name) is damaged") }
        try look(device)
        count("edits")
        if options.keepsTrace, let glimpse = try glimpse(id, on: device) {
            tell(device.index, .wrote(item: item, words: words, glimpse))
        }
        try notice(device)
    }

    /// Ends a second program on a device as its disk lets it end.
    private func leave(_ other: Store, on device: SimulatedDevice) {
        if device.disk.hasFuseBlown { other.abandon() } else { other.close() }
    }

    /// Lets a device's sessions know of commits.
    func notice(_ device: SimulatedDevice) throws {
        guard let replica = device.replica else { return }
        try dispatch(replica.noticeChanges(now: instant), of: device)
    }

    func create(_ device: String, _ item: String, _ settings: [Setting], isElsewhere: Bool) throws {
        let name = record(item)
        if let found = try store(self.device(device)).record(name) {
            throw Refused(
                found.verdict.isDeleted ? .deleted : .exists, "\(device) has \(item) already")
        }
        let words = ScenarioWriter.words(of: settings)
        let assignments = Vocabulary.assignments(settings)
        try edit(
            device, item, .edit, words, form: WriteHistory.Form(assignments),
            isElsewhere: isElsewhere
        ) { edit throws(StoreFault) in
            try edit.insert(assignments, into: name.collection, id: name.id)
        }
    }

    /// Makes the item of a key, or edits it, as an import does; what is deleted is left and told.
    func upsert(_ device: String, _ item: String, _ settings: [Setting], isElsewhere: Bool) throws {
        let name = record(item)
        let assignments = Vocabulary.assignments(settings)
        var outcome: UpsertOutcome?
        let standing = try store(self.device(device)).record(name)?.standing ?? .live
        guard standing == .live else {
            let (host, store) = (try self.device(device), try store(self.device(device)))
            try running(host) { () throws(StoreFault) in
                try store.edit { edit throws(StoreFault) in
                    let items = [UpsertItem(id: name.id, assignments)]
                    outcome = try edit.upsert(items, into: name.collection).first
                }
            }
            if outcome == .skippedDeleted(name.id) {
                throw Refused(.deleted, "\(item) is deleted on \(device)")
            }
            if outcome == .skippedPurged(name.id) {
                throw Refused(.purged, "\(item) is purged on \(device)")
            }
            throw Violation(
                .resurrection,
                "an upsert of \(item), which \(device) knows to be deleted, was taken")
        }
        try edit(
            device, item, .edit, "upserted: " + ScenarioWriter.words(of: settings),
            form: WriteHistory.Form(assignments), isElsewhere: isElsewhere
        ) { edit throws(StoreFault) in
            _ = try edit.upsert([UpsertItem(id: name.id, assignments)], into: name.collection)
        }
    }

    func save(
        _ device: String, _ item: String, _ assignments: [Assignment], _ words: String,
        resolves: Bool = false, isElsewhere: Bool
    ) throws {
        let name = record(item)
        let before = try store(self.device(device)).record(name)
        let form = WriteHistory.Form(assignments, resolves: resolves)
        try edit(device, item, .edit, words, form: form, isElsewhere: isElsewhere) {
            edit throws(StoreFault) in
            try edit.update(name, assignments, resolves: resolves)
        }
        if let before, before.verdict.isDeleted {
            throw Violation(
                .resurrection, "a save on \(item), which \(device) knows to be deleted, was taken")
        }
        guard resolves, let after = try self.device(device).store?.record(name) else { return }
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
        let name = record(item)
        try edit(device, item, .delete, "deleted", isElsewhere: isElsewhere) {
            edit throws(StoreFault) in try edit.delete(name)
        }
    }

    func restore(_ device: String, _ item: String, isElsewhere: Bool) throws {
        let name = record(item)
        try edit(device, item, .restore, "restored", isElsewhere: isElsewhere) {
            edit throws(StoreFault) in try edit.restore(name)
        }
    }

    func purge(_ device: String, _ item: String, isForced: Bool, isElsewhere: Bool) throws {
        let name = record(item)
        try edit(device, item, .purge, "purged", isElsewhere: isElsewhere) {
            edit throws(StoreFault) in try edit.purge(name, isForced: isForced)
        }
    }

    /// Copies what was written to a purged item into a new one, which has its id on every device.
    func copy(_ device: String, _ item: String, as copy: String, isElsewhere: Bool) throws {
        let own = try store(self.device(device))
        let name = record(item)
        guard let old = try own.record(name), old.standing == .editedAfterPurge else {
            throw Refused(.missing, "\(device) has nothing of \(item) to copy")
        }
        let copyName = name.copy(of: old.record)
        if let other = copies[copy], other != copyName {
            throw Refused(.exists, "\(copy) is the copy of something else")
        }
        copies[copy] = copyName
        itemNames[copyName] = copy
        let isThere = try own.record(copyName) != nil
        try edit(
            device, item, .purge, "copied as \(copy)", copy: isThere ? nil : copyName,
            isElsewhere: isElsewhere
        ) { edit throws(StoreFault) in try edit.copyFromPurged(name) }
    }

    /// Takes down an item's fields as they are shown.
    func openEditor(_ name: String, _ item: String) throws {
        let device = try device(name)
        guard let stored = try store(device).record(record(item)) else {
            throw Refused(.missing, "\(name) has no \(item)")
        }
        if stored.verdict.isDeleted { throw Refused(.deleted, "\(item) is deleted on \(name)") }
        var form: [Field: Value] = [:]
        for field in stored.record.fields {
            if let value = stored.record.visible(field), !value.isNull { form[field] = value }
        }
        device.editors[item] = form
        tell(device.index, .befell("opens \(item) in the editor"))
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
        let words = "saved from the editor: \(ScenarioWriter.words(of: settings))"
        try save(name, item, changed, words, isElsewhere: false)
        device.editors[item] = nil
    }
}
