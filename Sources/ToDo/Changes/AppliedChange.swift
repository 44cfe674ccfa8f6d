import Core
import Storage

/// The result of a change of another program.
package struct AppliedChange: Sendable {
    /// The kinds of results.
    package enum Outcome: String, Sendable {
        case inserted
        case updated
        case deleted
        case restored
        /// All was so already.
        case unchanged
        /// A change of that key was made before.
        case known
    }

    /// The change.
    package let change: ToDoChange
    /// The to-do.
    package let id: RecordID
    /// Its title.
    package let title: String
    /// The result.
    package let outcome: Outcome
    /// Whether the change of that key that was made before said something else.
    package let differsFromKnown: Bool
}

/// Changes of other programs: all of them or none, each once.
extension ToDoStore {
    /// The most keys of changes that are remembered; of more the oldest are forgotten.
    package static let appliedKeyCountMax = 20_000

    private static let namespace = "applied-changes"

    /// Makes changes in one transaction, unless it only rehearses them.
    ///
    /// A change whose key is known changes nothing. A new to-do without an id gets one from its key, which is the same on
    /// every device.
    /// - Parameters:
    ///   - rehearses: whether nothing is written; the results are those of doing it.
    ///   - find: the to-do that a number or a part of an id names.
    package func apply(
        _ changes: [ToDoChange], rehearses: Bool = false,
        find: (String) throws(ToDoNameFault) -> RecordID
    ) throws(ToDoChangeFault) -> [AppliedChange] {
        // A number means what it means now, whatever the lines before it do.
        var named: [(ToDoChange, RecordID)] = []
        for change in changes {
            do throws(ToDoNameFault) {
                named.append((change, try id(of: change, find)))
            } catch {
                throw ToDoChangeFault(line: change.line, .badName(error))
            }
        }
        let outcome: Result<[AppliedChange], ToDoChangeFault>
        do throws(StoreFault) {
            if rehearses {
                outcome = try store.rehearse { transaction throws(StoreFault) in
                    result(of: named, in: transaction)
                }
            } else {
                outcome = try applied(named)
            }
        } catch {
            throw ToDoChangeFault(line: nil, .store(error))
        }
        return try outcome.get()
    }

    private func applied(
        _ named: [(ToDoChange, RecordID)]
    ) throws(StoreFault) -> Result<[AppliedChange], ToDoChangeFault> {
        do {
            return .success(
                try store.write { transaction throws(ToDoChangeFault) in
                    try result(of: named, in: transaction).get()
                })
        } catch let fault as ToDoChangeFault {
            return .failure(fault)
        } catch let fault as StoreFault {
            throw fault
        } catch {
            preconditionFailure("a store throws no other faults: \(error)")
        }
    }

    private func id(
        of change: ToDoChange, _ find: (String) throws(ToDoNameFault) -> RecordID
    ) throws(ToDoNameFault) -> RecordID {
        guard let name = change.name else {
            return Store.derivedID(ToDoSchema.collection, key: "apply\n" + change.key)
        }
        // A whole id may be that of a to-do which a line before makes.
        if let whole = RecordID(uuidText: name) { return whole }
        return try find(name)
    }

    private func result(
        of named: [(ToDoChange, RecordID)], in transaction: Transaction
    ) -> Result<[AppliedChange], ToDoChangeFault> {
        var line: Int?
        do {
            var known = try store.localMetadata(in: Self.namespace)
            var results: [AppliedChange] = []
            for (change, id) in named {
                line = change.line
                var outcome = AppliedChange.Outcome.known
                var differs = false
                let content = Self.contentMark(of: change)
                if let note = known[change.key] {
                    // Notes of older versions are of the time alone.
                    let before = note.dropFirst(Self.timeByteCount)
                    differs = !before.isEmpty && !before.elementsEqual(content)
                } else {
                    outcome = try apply(change, to: id, in: transaction)
                    let note = Self.bytes(now) + content
                    known[change.key] = note
                    try transaction.setLocalMetadata(
                        note, named: change.key, in: Self.namespace)
                }
                let title = try transaction.record(id).map { ToDoMapping.item($0).title } ?? ""
                results.append(
                    AppliedChange(
                        change: change, id: id, title: title, outcome: outcome,
                        differsFromKnown: differs))
            }
            line = nil
            try forgetOldest(of: known, in: transaction)
            return .success(results)
        } catch let fault as ToDoChangeFault {
            return .failure(fault)
        } catch let fault as StoreFault {
            return .failure(ToDoChangeFault(line: line, .store(fault)))
        } catch {
            preconditionFailure("a change has no other faults: \(error)")
        }
    }

    private func forgetOldest(
        of known: [String: [UInt8]], in transaction: Transaction
    ) throws(StoreFault) {
        guard known.count > Self.appliedKeyCountMax else { return }
        // Times are written so that they sort as their bytes do.
        let byAge = known.sorted { $0.value.lexicographicallyPrecedes($1.value) }
        for entry in byAge.prefix(known.count - Self.appliedKeyCountMax) {
            try transaction.setLocalMetadata(nil, named: entry.key, in: Self.namespace)
        }
    }

    /// Makes one change.
    private func apply(
        _ change: ToDoChange, to id: RecordID, in transaction: Transaction
    ) throws -> AppliedChange.Outcome {
        func fault(_ code: ToDoChangeFault.Code) -> ToDoChangeFault {
            ToDoChangeFault(line: change.line, code)
        }
        guard let stored = try transaction.record(id), stored.collection == ToDoSchema.collection
        else {
            guard change.kind == .insert else { throw fault(.noSuchToDo) }
            return try insert(change, id, in: transaction)
        }
        // Made by the same key before that was forgotten, or on another device.
        if change.kind == .insert, change.name == nil { return .known }
        if stored.standing.isPurged { throw fault(.purged) }
        switch change.kind {
        case .delete: return try transaction.delete(id) ? .deleted : .unchanged
        case .restore: return try transaction.restore(id) ? .restored : .unchanged
        case .insert, .update:
            if stored.verdict.isDeleted { throw fault(.deleted) }
            return try update(change, stored, in: transaction) ? .updated : .unchanged
        }
    }

    private func insert(
        _ change: ToDoChange, _ id: RecordID, in transaction: Transaction
    ) throws -> AppliedChange.Outcome {
        var item = try change.item(changing: ToDoItem(title: ""))
        guard item.hasTitle else { throw ToDoChangeFault(line: change.line, .noTitle) }
        item.identifier = id.value
        item.created = item.created ?? now
        if item.status != .pending, item.completions.isEmpty { item.completed = now }
        try checkDepends(item, besides: nil, line: change.line)
        if let rule = item.repetition { item.repeats = placed(rule, of: item).text }
        _ = try transaction.insert(
            ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection, id: id)
        return .inserted
    }

    /// Refuses a to-do that would wait for itself; one that is not here yet may be waited for.
    private func checkDepends(_ item: ToDoItem, besides old: ToDoItem?, line: Int) throws {
        let new = Set(item.depends).subtracting(old?.depends ?? []).sorted()
        let isCircle =
            try new.contains { $0 == item.identifier }
            || waiter(among: new.map { RecordID(value: $0) }, for: item.identifier) != nil
        if isCircle { throw ToDoChangeFault(line: line, .circle) }
    }

    private func update(
        _ change: ToDoChange, _ stored: Record, in transaction: Transaction
    ) throws -> Bool {
        let old = ToDoMapping.item(stored)
        var new = try change.item(changing: old)
        new.identifier = old.identifier
        guard Self.isComplete(new, before: old) else {
            throw ToDoChangeFault(line: change.line, .noTitle)
        }
        if let parent = new.parent, parent != old.parent,
            try !canBePart(stored.id.value, of: RecordID(value: parent))
        {
            throw ToDoChangeFault(line: change.line, .circle)
        }
        try checkDepends(new, besides: old, line: change.line)
        if new.repeats != old.repeats, let rule = new.repetition {
            new.repeats = placed(rule, of: new).text
        }
        if new.status != old.status {
            if new.status == .pending {
                new.completions = []
            } else {
                if new.completions == old.completions { new.completed = now }
                new.stopWork(at: now)
            }
        }
        let isChanged = try transaction.update(
            stored.id, ToDoMapping.assignments(from: old, to: new))
        if isChanged { try follow(stored.id, from: old, to: new, in: transaction) }
        return isChanged
    }

    private static let timeByteCount = 8

    /// A mark of what a change says, the same in every run.
    private static func contentMark(of change: ToDoChange) -> [UInt8] {
        Store.derivedID(ToDoSchema.collection, key: "apply-content\n" + change.content).bytes
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
