/// The writes that a person's edit makes on a record.
///
/// Every door gives the record after the edit, or nil if the edit changes nothing and so makes no
/// write. Dots are taken in order from `nextDot`.
package struct LocalEdit: Sendable {
    /// Gives the next dot of this replica each time it is called.
    package struct DotSource: Sendable {
        /// The writer.
        package let replica: ReplicaID

        /// The counter of the last dot given.
        package private(set) var counter: UInt64

        /// Goes on after `counter`.
        package init(replica: ReplicaID, counter: UInt64) {
            self.replica = replica
            self.counter = counter
        }

        /// The next dot.
        package mutating func next() -> Dot {
            counter += 1
            return Dot(replica: replica, counter: counter)
        }
    }

    /// Why an edit was refused; nothing was written.
    package enum Refusal: Error, Hashable, Sendable {
        /// The record is deleted here: a stale save must not bring it back as an empty item.
        case recordDeleted
        /// The record was purged and nobody restored it whole: there is nothing to save to or to bring back.
        case recordPurged
        /// A conflict is open, or values are kept that an earlier purge had not seen; a purge would drop them, and
        /// can be forced.
        case conflictOpen
        /// The record is not deleted; what is alive is purged only by force.
        case notDeleted
        /// There is no such record.
        case noSuchRecord
    }

    private let rule: DeletionRule
    private let timestamp: HybridTimestamp

    /// The reading of the clock that all these writes have.
    package var writeTimestamp: HybridTimestamp { timestamp }

    /// Edits by the rule of a space, all at one reading of the clock.
    package init(policy: DeletePolicy, timestamp: HybridTimestamp) {
        rule = DeletionRule(policy)
        self.timestamp = timestamp
    }

    /// Saves fields as a form does: a field that shows the value already makes no assignment.
    ///
    /// Of several assignments to one field the last counts.
    /// - Parameters:
    ///   - resolves: whether the person chose these values to end a conflict.
    ///   - companion: a field whose assignment is made beside a change of another one, whatever it shows already: what
    ///     survives of the edit where the record was purged meanwhile has it.
    package func save(
        _ assignments: [Assignment], to record: RecordState, resolves: Bool = false,
        companion: Field? = nil, dots: inout DotSource
    ) throws(Refusal) -> RecordState? {
        switch rule.verdict(on: record).standing {
        case .live: break
        case .trashed: throw .recordDeleted
        case .purged, .editedAfterPurge: throw .recordPurged
        }
        let given = lastOfEach(assignments)
        var changed = changes(given, in: record, resolves: resolves)
        if !changed.isEmpty, let companion, !changed.contains(where: { $0.field == companion }) {
            changed += given.filter { $0.field == companion }
        }
        return changed.isEmpty ? nil : apply([changed], to: record, dots: &dots)
    }

    /// Saves fields of a record whose deletes count for nothing, as that of a device.
    ///
    /// The other fields stay as they are, each by whoever wrote it.
    /// - Parameters:
    ///   - revives: whether a deleted or purged one is brought back.
    ///   - isWhole: whether a field that shows the value already is written all the same.
    package func save(
        _ assignments: [Assignment], toUndeletable record: RecordState, revives: Bool,
        isWhole: Bool = false, dots: inout DotSource
    ) -> RecordState? {
        var changed = lastOfEach(assignments)
        if !isWhole { changed = changes(changed, in: record, resolves: false) }
        if revives, rule.verdict(on: record).isDeleted {
            changed.append(Assignment(.deleted, .null))
            if record.visible(.purged) != nil { changed.append(Assignment(.purged, .null)) }
            changed.sort { $0.field < $1.field }
        }
        return changed.isEmpty ? nil : apply([changed], to: record, dots: &dots)
    }

    private func lastOfEach(_ assignments: [Assignment]) -> [Assignment] {
        let isSorted = zip(assignments, assignments.dropFirst()).allSatisfy { $0.field < $1.field }
        if isSorted { return assignments }
        var fields: Set<Field> = []
        return assignments.reversed().filter { fields.insert($0.field).inserted }.reversed()
    }

    /// The assignments, no two to one field, that give a field another value than it shows.
    private func changes(
        _ assignments: [Assignment], in record: RecordState, resolves: Bool
    ) -> [Assignment] {
        let assignments = assignments.sorted { $0.field < $1.field }
        var candidates = [[FieldConflict.Candidate]](repeating: [], count: assignments.count)
        record.forEachSurvivors(of: assignments.map(\.field)) {
            candidates[$0] = RecordState.candidates($1)
        }
        return zip(assignments, candidates).filter { assignment, candidates in
            guard let shown = candidates.first else { return !assignment.value.isNull }
            if candidates.count > 1, resolves { return true }
            return shown.value != assignment.value
        }.map(\.0)
    }

    /// Deletes, remembering what this device had seen; on a contested record it is a new delete.
    package func delete(
        _ record: RecordState, dots: inout DotSource
    ) throws(Refusal) -> RecordState? {
        if record.isEmpty { throw .noSuchRecord }
        let verdict = rule.verdict(on: record)
        if verdict.isDeleted, !verdict.isContested { return nil }
        return applyDelete([], to: record, dots: &dots)
    }

    /// Deletes and drops every other assignment, for ever.
    ///
    /// The tombstone stays.
    ///
    /// - Parameter isForced: whether to go on although a conflict is open or the record is not deleted.
    package func purge(
        _ record: RecordState, isForced: Bool, dots: inout DotSource
    ) throws(Refusal)
        -> RecordState?
    {
        if record.isEmpty { throw .noSuchRecord }
        let verdict = rule.verdict(on: record)
        let hasConflict =
            verdict.isContested || verdict.isEditedAfterPurge || !record.fieldConflicts.isEmpty
        if !isForced, hasConflict { throw .conflictOpen }
        if !isForced, !verdict.isDeleted { throw .notDeleted }
        let holdsOther = record.writes.contains { write in
            write.assignments.contains { $0.field > .purged }
        }
        if verdict.isPurged, !holdsOther, !verdict.isContested { return nil }
        var bare = record
        bare.writes = []
        return applyDelete([Assignment(.purged, .bool(true))], to: bare, dots: &dots)
    }

    private func applyDelete(
        _ others: [Assignment], to record: RecordState, dots: inout DotSource
    ) -> RecordState {
        let dot = dots.next()
        var clock = record.clock
        clock.include(dot.counter, of: dot.replica)
        return adding(
            [Assignment(.deleted, .clock(clock))] + others, under: dot, to: record)
    }

    /// Brings a deleted record back with every field and set element, a field in conflict once per value.
    package func restore(
        _ record: RecordState, dots: inout DotSource
    ) throws(Refusal) -> RecordState? {
        if record.isEmpty { throw .noSuchRecord }
        let verdict = rule.verdict(on: record)
        guard verdict.isDeleted || verdict.isContested else { return nil }
        if verdict.isPurged, !record.survivors(of: .deleted).contains(where: \.value.isNull) {
            throw .recordPurged
        }
        return bringBack(record, as: record.layers(), dots: &dots)
    }

    /// Takes back the deletes that nobody but their author can have heard of, as if they had never been made.
    ///
    /// Unlike a restore it gives no field a new write, so that it stands against no edit of another device. The record's
    /// clock has the new dot all the same, without a write: a delete of which somebody has heard after all is gone there, too.
    /// - Returns: nil if the record is not deleted, or deleted all the same.
    package func takeBackDelete(
        _ record: RecordState, isUnheard: (Dot) -> Bool, dots: inout DotSource
    ) -> RecordState? {
        guard case let verdict = rule.verdict(on: record), verdict.isDeleted, !verdict.isPurged
        else { return nil }
        var result = record
        for index in result.writes.indices where isUnheard(result.writes[index].dot) {
            result.writes[index].assignments.removeAll { $0.field == .deleted }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        if rule.verdict(on: result).isDeleted { return nil }
        let dot = dots.next()
        result.clock.include(dot.counter, of: dot.replica)
        return result
    }

    /// Brings a deleted record back; nil if it is not deleted.
    ///
    /// A purged one comes back as it was before, but for the fields that were written apart from the purge: there what
    /// was written is shown.
    package func restore(
        _ record: RecordState, before: RecordState, dots: inout DotSource
    ) -> RecordState? {
        let verdict = rule.verdict(on: record)
        guard verdict.isDeleted else { return nil }
        return bringBack(
            record, as: verdict.isPurged ? record.layers(over: before) : record.layers(),
            dots: &dots)
    }

    private func bringBack(
        _ record: RecordState, as layers: [[Assignment]], dots: inout DotSource
    ) -> RecordState {
        var layers = layers
        if layers.isEmpty { layers.append([]) }
        if record.visible(.purged) != nil { layers[0].insert(Assignment(.purged, .null), at: 0) }
        layers[0].insert(Assignment(.deleted, .null), at: 0)
        // The values that are shown come last: at equal timestamps the highest counter is shown.
        return apply(layers.reversed(), to: record, dots: &dots)
    }

    /// Adds one write for each list of assignments; they stand beside each other, as siblings.
    package func apply(
        _ layers: [[Assignment]], to record: RecordState, dots: inout DotSource
    ) -> RecordState {
        var bare = record
        bare.drop(Set(layers.joined().map(\.field)))
        return adding(layers, to: bare, dots: &dots)
    }

    /// Adds one write for each list of assignments, beside what older writes hold.
    private func adding(
        _ layers: [[Assignment]], to record: RecordState, dots: inout DotSource
    ) -> RecordState {
        var result = record
        let writes = layers.map { layer in
            Write(
                dot: dots.next(), timestamp: timestamp,
                assignments: layer.sorted { $0.field < $1.field })
        }
        guard let first = writes.first, let last = writes.last else { return record }
        // New dots of one replica: no other write stands between them.
        let position = result.writes.firstIndex { $0.dot > first.dot } ?? result.writes.count
        result.writes.insert(contentsOf: writes, at: position)
        result.clock.include(last.dot.counter, of: last.dot.replica)
        return result
    }

    /// Adds one write, whose fields no older write holds afterwards unless it was added just now.
    func adding(_ assignments: [Assignment], under dot: Dot, to record: RecordState) -> RecordState
    {
        var result = record
        if !assignments.isEmpty, assignments[0].field == .deleted { result.drop([.deleted]) }
        let write = Write(
            dot: dot, timestamp: timestamp,
            assignments: assignments.sorted { $0.field < $1.field })
        let position = result.writes.firstIndex { $0.dot > dot } ?? result.writes.count
        result.writes.insert(write, at: position)
        result.clock.include(dot.counter, of: dot.replica)
        return result
    }
}

extension RecordState {
    /// The different surviving values of every field but the reserved ones: first of each the one that is shown,
    /// then the second ones, and so on.
    ///
    /// - Parameter older: the record from which the fields are taken of which nothing survives in this one.
    func layers(over older: RecordState = RecordState()) -> [[Assignment]] {
        var values: [(field: Field, candidates: [FieldConflict.Candidate])] = []
        var own: Set<Field> = []
        forEachRegister { field, survivors in
            own.insert(field)
            if field > .purged { values.append((field, Self.candidates(survivors))) }
        }
        older.forEachRegister { field, survivors in
            guard field > .purged, !own.contains(field) else { return }
            values.append((field, Self.candidates(survivors)))
        }
        if !older.isEmpty { values.sort { $0.field < $1.field } }
        var layers: [[Assignment]] = []
        for (field, candidates) in values {
            for (rank, candidate) in candidates.enumerated() {
                if rank == layers.count { layers.append([]) }
                layers[rank].append(Assignment(field, candidate.value))
            }
        }
        return layers
    }

    /// Removes what older writes gave to `fields`.
    fileprivate mutating func drop(_ fields: Set<Field>) {
        for index in writes.indices {
            writes[index].assignments.removeAll { fields.contains($0.field) }
        }
        writes.removeAll(where: \.assignments.isEmpty)
    }
}

/// Edits by somebody who had seen less than the record includes: a file that another program wrote.
///
/// They come to the same as an edit on another device that had seen so much and was merged just now.
extension LocalEdit {
    /// Saves fields by somebody who had seen the writes in `seen` alone.
    ///
    /// Values that they had not seen stay beside theirs, as a conflict; a delete that they had not seen
    /// stands against their edit by the space's rule. A value that stands there already makes no
    /// assignment, so that to repeat the edit changes nothing.
    ///
    /// - Parameter assignments: what differs from what they had seen.
    package func save(
        _ assignments: [Assignment], to record: RecordState, seen: VersionVector,
        dots: inout DotSource
    ) -> RecordState? {
        var deletes = VersionVector()
        for case (_, .clock(let clock)) in record.survivors(of: .deleted) { deletes.join(clock) }
        let changed = assignments.filter {
            isChange($0, in: record, seen: seen, deletes: deletes)
        }
        if changed.isEmpty { return nil }
        var result = record
        let fields = Set(changed.map(\.field))
        for index in result.writes.indices where seen.covers(result.writes[index].dot) {
            result.writes[index].assignments.removeAll { fields.contains($0.field) }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        return adding(changed, under: dots.next(), to: result)
    }

    private func isChange(
        _ assignment: Assignment, in record: RecordState, seen: VersionVector,
        deletes: VersionVector
    ) -> Bool {
        let candidates = record.survivors(of: assignment.field)
        if candidates.isEmpty { return !assignment.value.isNull }
        // A value that a delete had seen does not stand against it.
        let isThere = candidates.contains {
            $0.value == assignment.value && !deletes.covers($0.write.dot)
        }
        guard isThere else { return true }
        return candidates.contains { seen.covers($0.write.dot) && $0.value != assignment.value }
    }

    /// Deletes by somebody who had seen the writes in `seen` alone.
    ///
    /// Later writes are made once more behind the delete, with the same values, so that they stand
    /// against it by the space's rule. The shown values stay shown.
    package func delete(
        _ record: RecordState, seen: VersionVector, dots: inout DotSource
    ) throws(Refusal) -> RecordState? {
        guard let deleted = try delete(record, dots: &dots) else { return nil }
        var layers: [[Assignment]] = []
        record.forEachRegister { field, candidates in
            if field <= .purged { return }
            var unseen = candidates.filter { !seen.covers($0.write.dot) }
            // A value that they had seen may be shown all the same, by its time: it comes last then.
            if !unseen.isEmpty, let shown = candidates.last, seen.covers(shown.write.dot) {
                unseen.append(shown)
            }
            for (rank, survivor) in unseen.enumerated() {
                if rank == layers.count { layers.append([]) }
                layers[rank].append(Assignment(field, survivor.value))
            }
        }
        return adding(layers, to: deleted, dots: &dots)
    }
}
