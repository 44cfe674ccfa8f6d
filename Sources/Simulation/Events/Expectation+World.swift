import Core
import Relay
import Storage
import ToDo

/// The expectations of a scenario, looked up on its devices.
extension World {
    /// Looks whether what is expected is so on each of the devices.
    func expect(_ expectation: Expectation) throws {
        let among = try expectation.subjects?.map { try device($0) } ?? devices
        let asked = among.filter { expectation.subjects != nil || isOfScenario($0) }
        guard !asked.isEmpty else {
            throw Violation(.expectationFailed, "nobody is there of whom this could be expected")
        }
        for device in asked {
            let found = try answer(to: expectation.claim, on: device)
            tell(
                device.index,
                .checked(expectation.words, isTrue: found == nil))
            if let found { fail("\(device.name) \(found)") }
        }
    }

    /// The difference from a claim; a device that cannot be asked differs as well.
    private func answer(to claim: Claim, on device: SimulatedDevice) throws -> String? {
        do {
            return try difference(from: claim, on: device)
        } catch let refused as Refused {
            return "cannot be asked: \(refused.description)"
        }
    }

    private func isOfScenario(_ device: SimulatedDevice) -> Bool {
        !device.traits.isForeign && device.store != nil
    }

    /// The difference from a claim, in words after the device's name; nil if there is none.
    private func difference(from claim: Claim, on device: SimulatedDevice) throws -> String? {
        if case .versionCount(let item, let expected) = claim {
            return try versionDifference(item, expected, on: device)
        }
        let store = try store(device)
        switch claim {
        case .shows(let item, let field, let literal):
            return try shownDifference(item, field, Vocabulary.value(literal), in: store)
        case .showsOneOf(let item, let field, let literals):
            let differences = try literals.map {
                try shownDifference(item, field, Vocabulary.value($0), in: store)
            }
            return differences.contains(nil)
                ? nil : differences.compactMap(\.self).joined(separator: "; ")
        case .showsSet(let item, let field, let elements):
            return try setDifference(item, field, elements, in: store)
        case .holds(let item, let expected):
            let found = try state(of: store.record(record(item)))
            return found == expected
                ? nil : "has \(item) \(found.rawValue), not \(expected.rawValue)"
        case .conflict(let item, let field, let among):
            return try conflictDifference(item, field, among, in: store)
        case .noConflict(let item):
            let open = try conflicts(of: record(item), in: store)
            return open.isEmpty ? nil : "has conflicts on \(item): \(open.joined(separator: "; "))"
        case .noFieldConflict(let item, let field):
            return try conflictDifference(item, field, nil, in: store) != nil
                ? nil : "has a conflict on \(item) \(field)"
        case .wroteNothing:
            guard let before = device.counterBefore else { return "did nothing yet" }
            let (now, replica) = (try store.summary().counter, store.replica)
            if before.replica == replica, before.counter == now { return nil }
            let count = before.replica == replica ? now - before.counter : now
            return "made \(Counted.words(Int(clamping: count), "write")) in its last step"
        case .agrees: return try agreementDifference(device)
        case .knows(let name):
            let other = try self.store(self.device(name)).summary().knowledge
            let mine = try store.summary().knowledge
            let lacks = other.entries.filter { mine.counter(of: $0.replica) < $0.counter }
            return lacks.isEmpty
                ? nil : "lacks writes of \(lacks.map { self.name(of: $0.replica) })"
        default: return try countDifference(from: claim, on: device, store)
        }
    }

    private func versionDifference(
        _ item: String, _ expected: Int, on device: SimulatedDevice
    ) throws -> String? {
        guard let node = try relay(device).node else {
            throw Refused(.unreachable, "\(device.name) is not running")
        }
        let name = record(item)
        let found =
            try node.store(of: Self.space).map { store in
                try store.versions(of: relayName(of: name, in: store)).count
            } ?? 0
        return found == expected
            ? nil : "holds \(Counted.words(found, "version")) of \(item), not \(expected)"
    }

    private func countDifference(
        from claim: Claim, on device: SimulatedDevice, _ store: Store
    ) throws -> String? {
        func compare(
            _ found: Int, _ expected: Int, _ one: String, _ more: String = "",
            several: String? = nil
        ) -> String? {
            found == expected
                ? nil : "has \(Counted.words(found, one, several))\(more), not \(expected)"
        }
        let todo = ToDoSchema.collection
        switch claim {
        case .conflictCount(let expected):
            var found: [String] = []
            for stored in try store.fetch(FetchRequest(todo, scope: .all)) {
                found += try conflicts(of: stored.name, in: store)
            }
            let words = found.isEmpty ? "" : " (\(found.joined(separator: "; ")))"
            return compare(found.count, expected, "conflict", words)
        case .itemCount(let expected):
            return compare(try store.count(FetchRequest(todo)), expected, "item", " listed")
        case .trashCount(let expected):
            let trash = try store.fetch(FetchRequest(todo, scope: .trash))
            let count = trash.count { state(of: $0) != .purged }
            return compare(count, expected, "item", " in the trash")
        case .deferredCount(let expected):
            return compare(try store.summary().deferredCount, expected, "change", " deferred")
        case .deletesHeld(let areHeld):
            let found = try store.heldDeletes()
            if areHeld == !found.isEmpty { return nil }
            return areHeld
                ? "holds no deletes" : "holds \(Counted.words(found.count, "device"))'s deletes"
        case .identityCount(let expected):
            return compare(
                try store.identityChanges().count + 1, expected, "identity", several: "identities")
        case .lastSessionChangeCount(let expected):
            guard let session = device.lastSession else { return "was in no session" }
            return compare(
                session.changeCount, expected, "change", " sent in its last session")
        case .lastSessionByteCountMax(let most):
            guard let found = device.lastSession?.byteCount else { return "was in no session" }
            return found <= most
                ? nil
                : "exchanged \(Counted.words(found, "byte")) in its last session, "
                    + "more than \(most)"
        default: return nil
        }
    }

    private func shownDifference(
        _ item: String, _ field: String, _ expected: Value, in store: Store
    ) throws -> String? {
        guard let stored = try store.record(record(item)) else {
            return "has no \(item)"
        }
        let field = Vocabulary.field(field)
        var found = stored.record.visible(field) ?? .null
        if case .reference = found, case .number(let number) = field {
            found = try followed(number, in: store)[stored.name].map { .reference($0) } ?? .null
        }
        if found == expected { return nil }
        return "shows \(item) \(Vocabulary.name(of: field)) \(Vocabulary.words(found)), "
            + "not \(Vocabulary.words(expected))" + tieRule(stored, field)
    }

    /// Why one of several open versions is the one that is shown; empty if there are not several.
    private func tieRule(_ stored: Record, _ field: Field) -> String {
        guard let conflict = stored.record.fieldConflicts.first(where: { $0.field == field })
        else { return "" }
        let open = conflict.candidates.map { Vocabulary.words($0.value) }
        return "; a conflict is open between \(ScenarioWriter.list(open)): shown is the latest by "
            + "its writer's clock, and of one time the one with the greatest replica id and "
            + "counter; `wait` between the edits decides which that is"
    }

    private func setDifference(
        _ item: String, _ field: String, _ elements: [String], in store: Store
    ) throws -> String? {
        guard let stored = try store.record(record(item)) else {
            return "has no \(item)"
        }
        let name: FieldName
        switch Vocabulary.field(field) {
        case .number(let number): name = .number(number)
        case .text(let text): name = .text(text)
        case .element(let set, _): name = set
        }
        let found = stored.record.elements(of: name).compactMap { element in
            if case .text(let text) = element { text } else { nil }
        }.sorted()
        if found == elements.sorted() { return nil }
        return "shows \(item) \(field) \(found), not \(elements.sorted())"
    }

    private func conflictDifference(
        _ item: String, _ field: String, _ among: [Literal]?, in store: Store
    ) throws -> String? {
        guard let stored = try store.record(record(item)) else {
            return "has no \(item)"
        }
        if field == "deleted" {
            return stored.verdict.isContested ? nil : "has no conflict of \(item) being deleted"
        }
        if field == "purged" {
            return stored.standing == .editedAfterPurge
                ? nil : "has no conflict of \(item) being purged"
        }
        let field = Vocabulary.field(field)
        guard let conflict = listedConflicts(of: stored).first(where: { $0.field == field }) else {
            return "has no conflict on \(item) \(Vocabulary.name(of: field))"
        }
        guard let among else { return nil }
        let found = conflict.candidates.map { Vocabulary.words($0.value) }.sorted()
        let expected = among.map { Vocabulary.words(Vocabulary.value($0)) }.sorted()
        return found == expected
            ? nil : "has a conflict on \(item) between \(found), not \(expected)"
    }

    /// The open conflicts of a record, in words.
    private func conflicts(of name: RecordName, in store: Store) throws -> [String] {
        guard let stored = try store.record(name) else { return [] }
        var found = listedConflicts(of: stored).map { conflict in
            "\(Vocabulary.name(of: conflict.field)): "
                + conflict.candidates.map { Vocabulary.words($0.value) }.joined(separator: " or ")
        }
        if stored.verdict.isContested { found.append("deleted against an edit") }
        if stored.standing == .editedAfterPurge { found.append("edited apart from its purge") }
        return found
    }

    /// The conflicts of fields; those of a deleted record are not listed until it is restored.
    private func listedConflicts(of stored: Record) -> [FieldConflict] {
        stored.verdict.isDeleted ? [] : stored.record.fieldConflicts
    }

    /// The references of one field that are followed.
    private func followed(_ number: UInt32, in store: Store) throws -> [RecordName: RecordName] {
        let all = try store.fetch(FetchRequest(ToDoSchema.collection))
        return try store.followed(.number(number), of: all)
    }

    private func agreementDifference(_ device: SimulatedDevice) throws -> String? {
        if devices.count(where: isOfScenario) < 2 {
            return "is alone: nobody is there to agree with"
        }
        for other in devices where isOfScenario(other) && other !== device {
            let (mine, theirs) = (try content(of: device), try content(of: other))
            if mine.knowledge != theirs.knowledge {
                return "and \(other.name) know different writes"
            }
            if mine.changes != theirs.changes { return "and \(other.name) hold different records" }
            if mine.digest != theirs.digest { return "and \(other.name) have different digests" }
        }
        return nil
    }

    private func content(
        of device: SimulatedDevice
    ) throws -> (changes: Set<Change>, knowledge: VersionVector, digest: UInt128) {
        let store = try store(device)
        let summary = try store.summary()
        var changes = Set(
            try store.news(after: 0).records.map { stored in
                Change(
                    stored.name, clock: stored.record.clock,
                    body: BodyCodec.encode(stored.record, in: stored.collection))
            })
        for deferred in try store.allDeferred() { changes.insert(deferred.change) }
        return (changes, summary.knowledge, summary.digest)
    }
}
