import Core
import Storage

/// An edit by somebody who saw a to-do as it was some time ago: on a page that stayed open, or with another program.
package struct LateEdit: Sendable {
    /// The to-do.
    package let id: RecordID
    /// As its author saw it.
    package let old: ToDoItem
    /// As its author wants it.
    package let new: ToDoItem
    /// The writes of the record that its author had seen.
    package let seen: VersionVector

    /// An edit, with what its author had seen.
    package init(_ id: RecordID, from old: ToDoItem, to new: ToDoItem, seen: VersionVector) {
        self.id = id
        self.old = old
        self.new = new
        self.seen = seen
    }
}

/// The result of a late edit.
package struct LateEditOutcome: Sendable {
    /// Whether anything was written.
    package var isChanged = false
    /// The fields of which two values stand beside each other now, and did not before.
    package var conflicts: [Field] = []
    /// The next occurrence, if the edit completed one that comes again.
    package var next: RecordID?
}

/// Saving what somebody wrote who had not seen everything: what others changed meanwhile stays, beside it.
extension ToDoStore {
    /// Saves a late edit: fields that its author left alone stay as they are now, and what others wrote meanwhile in a
    /// field of the edit becomes a conflict with it.
    ///
    /// - Parameter restores: whether it is brought back first if it is in the trash.
    /// - Throws: `recordDeleted` if it is in the trash, `recordPurged`, `noSuchRecord`.
    package func save(
        _ edit: LateEdit, restores: Bool = false
    ) throws(StoreFault) -> LateEditOutcome {
        try store.edit { transaction throws(StoreFault) in
            try save(edit, restores: restores, in: transaction)
        }
    }

    /// Saves a late edit in a transaction, with others.
    package func save(
        _ edit: LateEdit, restores: Bool = false, in transaction: Transaction
    ) throws(StoreFault) -> LateEditOutcome {
        guard let found = try transaction.record(edit.id),
            found.collection == ToDoSchema.collection
        else { throw .noSuchRecord }
        if found.standing.isPurged { throw .recordPurged }
        var outcome = LateEditOutcome()
        if found.verdict.isDeleted {
            guard restores else { throw .recordDeleted }
            outcome.isChanged = try transaction.restore(edit.id)
        }
        guard let stored = try transaction.record(edit.id) else { throw .noSuchRecord }
        let now = ToDoMapping.item(stored)
        var new = edit.new
        new.rejoinTags(of: edit.old)
        if new.repeats != edit.old.repeats, let rule = new.repetition {
            new.repeats = placed(rule, of: new).text
        }
        if new.status != edit.old.status {
            if new.status == .pending {
                new.completions = []
            } else {
                if new.completions == edit.old.completions { new.completed = self.now }
                new.stopWork(at: self.now)
            }
        }
        try write(
            ToDoMapping.assignments(from: edit.old, to: new), seen: edit.seen,
            bases: ToDoMapping.values(of: edit.old), over: stored, isRestored: outcome.isChanged,
            in: transaction)
        guard let after = try transaction.record(edit.id) else { return outcome }
        outcome.isChanged = outcome.isChanged || after.record != stored.record
        let before = Set(stored.record.fieldConflicts.map(\.field))
        outcome.conflicts = after.record.fieldConflicts.map(\.field).filter { !before.contains($0) }
        outcome.next = try follow(after, since: now, in: transaction)
        return outcome
    }

    /// Makes the next occurrence of a to-do that a late edit completed, or takes that of one back which is pending again.
    ///
    /// - Parameters:
    ///   - after: the to-do after the edit.
    ///   - before: as it was before.
    /// - Returns: the next occurrence, if the edit completed one that comes again.
    func follow(
        _ after: Record, since before: ToDoItem, in transaction: Transaction
    ) throws(StoreFault) -> RecordID? {
        let shown = ToDoMapping.item(after)
        if before.status == .pending, shown.status == .completed {
            guard let next = next(of: shown, completed: shown.completed ?? now) else { return nil }
            return try make(next, after: after.id, in: transaction)
        }
        if before.status != .pending, shown.status == .pending {
            _ = try undoNext(of: before, after.id, unless: [], in: transaction)
        }
        return nil
    }

    /// Writes the fields of an edit; those that show what its author saw count as seen where a restore wrote them anew.
    func write(
        _ all: [Assignment], seen: VersionVector, bases: [Field: Value], over stored: Record,
        isRestored: Bool, in transaction: Transaction
    ) throws(StoreFault) {
        var (known, unknown): ([Assignment], [Assignment]) = ([], [])
        for assignment in all {
            let shown = stored.record.visible(assignment.field) ?? .null
            let isKnown =
                isRestored && shown == bases[assignment.field] ?? .null
                && stored.record.candidates(of: assignment.field).count < 2
            if isKnown { known.append(assignment) } else { unknown.append(assignment) }
        }
        if !known.isEmpty {
            try transaction.update(
                stored.name, known, seen: seen.joined(with: stored.record.clock), bases: bases)
        }
        if !unknown.isEmpty {
            try transaction.update(stored.name, unknown, seen: seen, bases: bases)
        }
    }

    /// Puts a to-do in the trash for somebody who had seen some writes alone: what others wrote since stands
    /// against that.
    ///
    /// - Returns: whether anything was written.
    package func delete(
        _ id: RecordID, seen: VersionVector
    ) throws(StoreFault) -> Bool {
        try store.edit { transaction throws(StoreFault) in
            guard let found = try transaction.record(id) else { throw .noSuchRecord }
            if found.verdict.isDeleted, !found.verdict.isContested { return false }
            return try transaction.delete(found.name, seen: seen)
        }
    }
}

/// Deciding by somebody who has not seen everything.
extension ToDoStore {
    /// Puts a value in place of those in conflict that were seen; one that was not stays beside it.
    ///
    /// - Returns: whether anything was written.
    @discardableResult
    package func resolve(
        _ id: RecordID, _ field: Field, with value: Value, seen: VersionVector
    ) throws(StoreFault) -> Bool {
        try store.edit { transaction throws(StoreFault) in
            guard let stored = try transaction.record(id) else { throw .noSuchRecord }
            if stored.standing.isPurged { throw .recordPurged }
            if stored.verdict.isDeleted { throw .recordDeleted }
            return try transaction.update(
                stored.name, [Assignment(field, value)], seen: seen, bases: [:])
        }
    }
}

/// The writes of a record that somebody has seen, as a short text that a form carries.
extension VersionVector {
    /// The most entries that a text has: one that leaves some out says that less was seen, which is safe.
    package static let seenEntryCountMax = 256
    /// The digits of a replica's id that a text has, its last ones: the record's clock has the rest.
    private static let seenDigitCount = 8

    /// The text: the end of a replica's id, a colon and its counter, for each entry, with commas between them.
    package var seenText: String {
        entries.suffix(Self.seenEntryCountMax)
            .map { "\(Self.digits(of: $0.replica)):\($0.counter)" }.joined(separator: ",")
    }

    /// The part of this clock that a text says was seen; nil if the text is none.
    ///
    /// A clock only grows, so whatever was seen is in it. An entry that may be of two replicas counts as not seen.
    package func seen(_ text: String) -> VersionVector? {
        var found: [Entry] = []
        for (index, part) in text.split(separator: ",").enumerated() {
            let words = part.split(separator: ":", omittingEmptySubsequences: false)
            guard words.count == 2, index < Self.seenEntryCountMax,
                words[0].utf8.count == Self.seenDigitCount, let counter = UInt64(words[1])
            else { return nil }
            let meant = entries.filter { Self.digits(of: $0.replica) == words[0] }
            guard let only = meant.first, meant.count == 1 else { continue }
            found.append(Entry(replica: only.replica, counter: min(counter, only.counter)))
        }
        return VersionVector(unsorted: found)
    }

    private static func digits(of replica: ReplicaID) -> Substring {
        replica.uuidText.suffix(seenDigitCount)
    }
}
