import Core
import Replica
import Storage
import TestSupport

/// The actions of users on a device.
extension SyncWorld {
    /// The few ids that edits of an exploration share.
    static let ids = (0..<5).map { Store.derivedID(todo, key: "record \($0)") }

    /// Runs an edit of one record on a device, and takes note of the writes that it made.
    ///
    /// - Parameter isElsewhere: whether another process makes it.
    /// - Returns: whether anything was written.
    @discardableResult
    func edit(
        _ deviceIndex: Int, _ name: RecordName, _ kind: WriteHistory.Kind,
        isElsewhere: Bool = false, _ body: (Transaction) throws(StoreFault) -> Void
    ) throws -> Bool {
        let device = devices[deviceIndex]
        let store = isElsewhere ? try device.another() : try store(deviceIndex)
        let before = try store.record(name)?.record.clock ?? VersionVector()
        try store.edit(body)
        let after = try store.record(name)?.record ?? RecordState()
        for write in after.writes where !before.covers(write.dot) {
            try note(write, of: name, kind, past: before)
        }
        if isElsewhere { store.close() }
        try notice(deviceIndex)
        return after.clock != before
    }

    /// Lets a device's sessions know of commits.
    func notice(_ deviceIndex: Int) throws {
        try dispatch(try replica(deviceIndex).noticeChanges(now: now), of: deviceIndex)
        try look(at: deviceIndex)
    }

    /// Makes a record, or saves fields of it.
    @discardableResult
    func save(
        _ deviceIndex: Int, _ id: RecordID, _ assignments: [Assignment], resolves: Bool = false,
        isElsewhere: Bool = false, in collection: CollectionID = SyncWorld.todo
    ) throws -> Bool {
        let name = RecordName(collection, id)
        let isNew = try store(deviceIndex).record(name) == nil
        return try edit(deviceIndex, name, .edit, isElsewhere: isElsewhere) {
            edit throws(StoreFault) in
            if isNew {
                try edit.insert(assignments, into: collection, id: id)
            } else {
                try edit.update(name, assignments, resolves: resolves)
            }
        }
    }

    @discardableResult
    func delete(
        _ deviceIndex: Int, _ id: RecordID, in collection: CollectionID = SyncWorld.todo
    ) throws -> Bool {
        let name = RecordName(collection, id)
        return try edit(deviceIndex, name, .delete) { edit throws(StoreFault) in
            try edit.delete(name)
        }
    }

    @discardableResult
    func restore(
        _ deviceIndex: Int, _ id: RecordID, in collection: CollectionID = SyncWorld.todo
    ) throws -> Bool {
        let name = RecordName(collection, id)
        return try edit(deviceIndex, name, .restore) { edit throws(StoreFault) in
            try edit.restore(name)
        }
    }

    @discardableResult
    func purge(
        _ deviceIndex: Int, _ id: RecordID, in collection: CollectionID = SyncWorld.todo
    ) throws -> Bool {
        let name = RecordName(collection, id)
        return try edit(deviceIndex, name, .purge) { edit throws(StoreFault) in
            try edit.purge(name, isForced: true)
        }
    }

    // MARK: At random

    /// Any edit that a person could make on a device.
    func editAtRandom(_ deviceIndex: Int, isElsewhere: Bool, isLong: Bool) throws {
        let id = chance.pick(Self.ids)
        // The same ids are in use in a collection that this version does not know.
        let collection = chance.chance(1, in: 4) ? Self.newer : Self.todo
        guard let stored = try store(deviceIndex).record(RecordName(collection, id)) else {
            say("\(deviceIndex) makes \(id)")
            try save(
                deviceIndex, id, randomFields(isLong: isLong), isElsewhere: isElsewhere,
                in: collection)
            return
        }
        guard !stored.verdict.isDeleted else {
            try revive(deviceIndex, id, in: collection)
            return
        }
        switch chance.below(10) {
        case 0, 1:
            say("\(deviceIndex) deletes \(id)")
            try delete(deviceIndex, id, in: collection)
        case 2 where stored.verdict.isContested:
            say("\(deviceIndex) restores the contested \(id)")
            try restore(deviceIndex, id, in: collection)
        case 3 where !stored.record.fieldConflicts.isEmpty:
            let conflict = stored.record.fieldConflicts[0]
            let choice = chance.pick(conflict.candidates).value
            say("\(deviceIndex) resolves \(conflict.field) of \(id)")
            try save(
                deviceIndex, id, [Assignment(conflict.field, choice)], resolves: true,
                isElsewhere: isElsewhere, in: collection)
        default:
            let fields = randomFields(isLong: isLong)
            say("\(deviceIndex) saves \(fields.map { "\($0.field)" }) of \(id)")
            try save(deviceIndex, id, fields, isElsewhere: isElsewhere, in: collection)
        }
    }

    private func revive(
        _ deviceIndex: Int, _ id: RecordID, in collection: CollectionID
    ) throws {
        do {
            switch chance.below(4) {
            case 0:
                say("\(deviceIndex) purges \(id)")
                try purge(deviceIndex, id, in: collection)
            case 1:
                try save(
                    deviceIndex, id, [Assignment(.number(2), .text("stale"))], in: collection)
                throw Violation("a save on the deleted \(id) was not refused")
            default:
                say("\(deviceIndex) restores \(id)")
                try restore(deviceIndex, id, in: collection)
            }
        } catch StoreFault.recordDeleted, StoreFault.recordPurged {
            count("refused")
        }
    }

    private func randomFields(isLong: Bool) -> [Assignment] {
        var fields: [Assignment] = []
        for field in [Field.number(2), .number(3), .custom("shop")] where chance.chance(1, in: 2) {
            fields.append(Assignment(field, randomValue(isLong: isLong)))
        }
        for element in ["red", "blue"] where chance.chance(1, in: 4) {
            let isIn = chance.chance(2, in: 3)
            fields.append(
                Assignment(.element(.number(8), text: element), isIn ? .bool(true) : .null))
        }
        if chance.chance(1, in: 12) {
            // A kind of value from a newer version.
            fields.append(Assignment(.custom("newer"), .unknown([0x82, 0x18, 0x63, 0x05])))
        }
        if fields.isEmpty { fields.append(Assignment(.number(2), .text(freshText()))) }
        return fields.sorted { $0.field < $1.field }
    }

    private func randomValue(isLong: Bool) -> Value {
        switch chance.below(isLong ? 13 : 12) {
        case 0, 1: .text("same")
        case 2, 3: .null
        case 12: .text(freshText() + String(repeating: "long ", count: 40_000))
        default: .text(freshText())
        }
    }

    // MARK: Newer versions

    /// A device gets a change of a version that nobody here can read, from a replica that is no more.
    func meetNewer(_ deviceIndex: Int) throws {
        let replica = ReplicaID(value: chance.wide())
        let id = chance.chance(1, in: 2) ? chance.pick(Self.ids) : RecordID(value: chance.wide())
        let store = try store(deviceIndex)
        var clock = try store.record(id)?.record.clock ?? VersionVector()
        clock.include(1, of: replica)
        say("\(deviceIndex) meets something newer at \(id)")
        let change = Change(id: id, clock: clock, body: [0xff, UInt8(chance.below(256))])
        let incarnation = Incarnation(epoch: EpochID(value: chance.next() | 1), counter: 0)
        let checkpoint = Checkpoint(epoch: incarnation.epoch, sequence: 1)
        _ = try store.integrate(
            [change], from: replica, checkpoint: checkpoint,
            incarnations: [ChangeBatch.AnnouncedIncarnation(replica: replica, start: incarnation)])
        let entry = StateSummaryEntry(
            replica: replica, counter: 1, checksum: SipHash().checksum(id, 1), seen: 1)
        _ = try store.join(
            StateSummary(entries: [entry], digest: 0), from: replica, through: checkpoint)
        try notice(deviceIndex)
    }

    /// A device makes a record of a collection that only newer versions know.
    func makeUnknown(_ deviceIndex: Int) throws {
        let id = RecordID(value: chance.wide())
        say("\(deviceIndex) makes \(id) of an unknown collection")
        try edit(deviceIndex, RecordName(Self.newer, id), .edit) { edit throws(StoreFault) in
            try edit.insert(
                [Assignment(.number(40), .unknown([0x82, 0x18, 0x64, 0x01]))], into: Self.newer,
                id: id)
        }
    }
}
