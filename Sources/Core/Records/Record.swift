/// A record's state: the writes it includes, and of those the assignments that still matter.
///
/// Shape: writes sorted by dot, no dot twice, every dot covered by the clock, no write without an
/// assignment. The merge walks both lists at once and rests on that order.
package struct RecordState: Hashable, Sendable {
    /// Every write that is included.
    package var clock: VersionVector

    /// The writes that still matter, sorted by dot.
    package var writes: [Write]

    /// A record that nobody has written.
    package init() {
        clock = VersionVector()
        writes = []
    }

    /// A record of that shape.
    package init(clock: VersionVector, writes: [Write]) {
        self.clock = clock
        self.writes = writes
    }

    /// How many assignments still matter, those to the fields 0 and 1 not counted.
    package var assignmentCount: Int {
        writes.reduce(0) { $0 + $1.assignments.count - $1.deletionCount }
    }

    /// How many assignments to the field 0 still matter, or to the field 1 if these are more.
    package var deletionCount: Int {
        var counts = [0, 0]
        for write in writes {
            for assignment in write.assignments.prefix(2) {
                if assignment.field == .deleted { counts[0] += 1 }
                if assignment.field == .purged { counts[1] += 1 }
            }
        }
        return max(counts[0], counts[1])
    }

    /// How many elements and named fields hold a value, one in conflict once for each: those of which somebody may add
    /// as many as they like.
    package var freeValueCount: Int {
        writes.reduce(0) { count, write in
            write.assignments.reduce(count) { $0 + ($1.isFreeValue ? 1 : 0) }
        }
    }

    /// Whether an edit or a merge may make the record: a message can hold it, also once it is deleted or rewritten.
    ///
    /// One that is over a limit already, as by a fork rewrite, may be made smaller.
    /// - Parameters:
    ///   - bodyByteCount: the length of its body.
    ///   - old: the record before; nil if there was none.
    package func isWithinLimits(
        bodyByteCount: Int, replacing old: RecordState?, in collection: CollectionID
    ) -> Bool {
        let isWithin =
            assignmentCount <= RecordLimits.assignmentCountMax
            && deletionCount <= RecordLimits.deletionCountMax
            && isShortEnough(bodyByteCount: bodyByteCount)
        guard !isWithin, let old else { return isWithin }
        return assignmentCount <= max(RecordLimits.assignmentCountMax, old.assignmentCount)
            && deletionCount <= max(RecordLimits.deletionCountMax, old.deletionCount)
            && clock.entries.count <= WireLimits.clockEntryCountMax
            && bodyByteCount <= BodyCodec.encode(old, in: collection).count
    }

    /// The same for a record that was read, and so has no more assignments than a body may have, where there was none before.
    ///
    /// The bytes of its content are counted without its clock, so that every device comes to the same result.
    package func isShortEnough(bodyByteCount: Int) -> Bool {
        guard bodyByteCount <= RecordLimits.mergedBodyByteCountMax,
            clock.entries.count <= WireLimits.mergedClockEntryCountMax
        else { return false }
        // What is counted is at most this much longer than the body.
        let countMax = bodyByteCount + writes.count * RecordLimits.writeByteCount
        return countMax <= RecordLimits.contentByteCountMax
            || BodyCodec.contentByteCount(of: self) <= RecordLimits.contentByteCountMax
    }

    /// Whether nobody has written the record.
    package var isEmpty: Bool { clock.isEmpty }

    /// Every surviving assignment of one register, the one that is shown last.
    package func survivors(of field: Field) -> [(write: Write, value: Value)] {
        var found: [(write: Write, value: Value)] = []
        for write in writes {
            if let value = write.value(of: field) { found.append((write, value)) }
        }
        return found.sorted { $1.write.isShown(over: $0.write) }
    }

    /// The value shown for a register: the surviving assignment greatest by (timestamp, replica, counter).
    ///
    /// - Returns: nil if the register was never assigned; `.null` if it was cleared.
    package func visible(_ field: Field) -> Value? {
        // Lists ask this of every field that they show.
        if writes.count == 1 { return writes[0].value(of: field) }
        var shown: (write: Int, position: Int)?
        for index in writes.indices {
            guard let position = writes[index].position(of: field) else { continue }
            if let best = shown, !writes[index].isShown(over: writes[best.write]) { continue }
            shown = (index, position)
        }
        return shown.map { writes[$0.write].assignments[$0.position].value }
    }

    /// Gives every register that has a surviving assignment with the value that is shown for it, sorted by register.
    package func forEachVisible(_ body: (Field, Value) -> Void) {
        if writes.count == 1 {
            for assignment in writes[0].assignments { body(assignment.field, assignment.value) }
            return
        }
        forEachRegister { field, held in body(field, shown(held)) }
    }

    /// An assignment, and the index of the write that holds it.
    private typealias Held = (write: Int, assignment: Assignment)

    /// Gives every register that has a surviving assignment, sorted, with these in the order of their writes.
    ///
    /// - Parameter isWanted: which of the registers.
    /// - Complexity: O(n log n) in the assignments, however many writes they are of.
    private func forEachRegister(
        where isWanted: (Field) -> Bool = { _ in true }, _ body: (Field, ArraySlice<Held>) -> Void
    ) {
        var all: [Held] = []
        for (index, write) in writes.enumerated() {
            for assignment in write.assignments where isWanted(assignment.field) {
                all.append((index, assignment))
            }
        }
        if all.count > 1 { all.sort { $0.assignment.field < $1.assignment.field } }
        var start = 0
        while start < all.count {
            let field = all[start].assignment.field
            var end = start + 1
            while end < all.count, all[end].assignment.field == field { end += 1 }
            body(field, all[start..<end])
            start = end
        }
    }

    /// The value that is shown of those of one register.
    private func shown(_ held: ArraySlice<Held>) -> Value {
        var shown = held[held.startIndex]
        for other in held.dropFirst()
        where writes[other.write].isShown(over: writes[shown.write]) {
            shown = other
        }
        return shown.assignment.value
    }

    /// Every register that has a surviving assignment, sorted, none twice.
    package var fields: [Field] {
        if writes.count == 1 { return writes[0].assignments.map(\.field) }
        var all = writes.flatMap { $0.assignments.map(\.field) }.sorted()
        var kept = 0
        for index in all.indices where index == 0 || all[index] != all[kept - 1] {
            all[kept] = all[index]
            kept += 1
        }
        all.removeSubrange(kept...)
        return all
    }

    /// The elements that a set shows, sorted by canonical bytes.
    package func elements(of name: FieldName) -> [Value] {
        var shown: [Value] = []
        forEachRegister {
            if case .element(name, _) = $0 { true } else { false }
        } _: { field, held in
            guard case .element(_, let element) = field, self.shown(held) == .bool(true) else {
                return
            }
            shown.append(element)
        }
        return shown
    }

    /// Whether a value was left out on the way here and has to be asked for.
    package var hasElidedValue: Bool {
        writes.contains { $0.assignments.contains(where: \.value.isElided) }
    }

    /// Whether the shape holds; a decoder checks the same on bytes.
    package var isWellFormed: Bool {
        for (index, write) in writes.enumerated() {
            if write.assignments.isEmpty || !clock.covers(write.dot) { return false }
            if index > 0, writes[index - 1].dot >= write.dot { return false }
            for position in write.assignments.indices.dropFirst()
            where write.assignments[position - 1].field >= write.assignments[position].field {
                return false
            }
        }
        return true
    }
}

/// One write to one record: the assignments made together that still matter.
///
/// Shape: assignments sorted by field, no field twice.
package struct Write: Hashable, Sendable {
    /// The writer, and the number of the write among its writes.
    package let dot: Dot

    /// When; for showing and for ordering concurrent values.
    package var timestamp: HybridTimestamp

    /// Whether the write was given a new dot after its replica was found rolled back; it revives nothing.
    package var isRecovered: Bool

    /// The assignments, sorted by field.
    package var assignments: [Assignment]

    /// A write whose assignments are sorted by field.
    package init(
        dot: Dot, timestamp: HybridTimestamp, isRecovered: Bool = false, assignments: [Assignment]
    ) {
        self.dot = dot
        self.timestamp = timestamp
        self.isRecovered = isRecovered
        self.assignments = assignments
    }

    /// Whether it deletes: then it holds the clock that its writer had seen.
    ///
    /// The reserved fields have the smallest numbers, so they stand first.
    package var isDelete: Bool {
        guard let first = assignments.first, case .clock = first.value else { return false }
        return first.field == .deleted
    }

    /// How many of the assignments are to the fields 0 and 1.
    package var deletionCount: Int {
        assignments.prefix(2).reduce(0) { $0 + ($1.field <= .purged ? 1 : 0) }
    }

    /// The value that this write gave to `field`, if that still matters.
    package func value(of field: Field) -> Value? {
        position(of: field).map { assignments[$0].value }
    }

    /// Where the assignment to `field` stands; nil if there is none.
    ///
    /// - Complexity: O(log n) in the assignments, of which there may be thousands.
    func position(of field: Field) -> Int? {
        // Most writes have few fields, and numbers come first, the least in front.
        if assignments.count <= 16 {
            guard case .number(let number) = field else {
                return assignments.firstIndex { $0.field == field }
            }
            for index in assignments.indices {
                guard case .number(let other) = assignments[index].field, other <= number else {
                    return nil
                }
                if other == number { return index }
            }
            return nil
        }
        var (low, high) = (0, assignments.count)
        while low < high {
            let middle = (low + high) / 2
            if assignments[middle].field < field { low = middle + 1 } else { high = middle }
        }
        return low < assignments.count && assignments[low].field == field ? low : nil
    }

    /// Whether the write comes after `other` in the order that picks the visible value.
    package func isShown(over other: Write) -> Bool {
        timestamp == other.timestamp ? dot > other.dot : timestamp > other.timestamp
    }
}

/// A record as it is sent to a peer: an envelope that anyone may read, and a body.
package struct Change: Hashable, Sendable {
    /// Which record; at a relay its relay name.
    package let name: RecordName

    /// Every write that is included.
    package let clock: VersionVector

    /// The writes that still matter, encoded; sealed in an encrypted space.
    package let body: [UInt8]

    /// Whether its sender could not integrate it and has deferred it.
    ///
    /// The version that it was to replace is then still needed: a relay keeps both.
    package let isDeferred: Bool

    /// A record on its way.
    package init(
        _ name: RecordName, clock: VersionVector, body: [UInt8], isDeferred: Bool = false
    ) {
        self.name = name
        self.clock = clock
        self.body = body
        self.isDeferred = isDeferred
    }

    /// The memory of the body, and of a clock that is too long for one frame; in bytes.
    package var heldByteCount: Int { body.count + longClockByteCount }

    private var longClockByteCount: Int {
        let count = clock.entries.count
        let isLong = count > WireLimits.clockEntriesPerPartMax
        return isLong ? count * MemoryLayout<VersionVector.Entry>.stride : 0
    }
}

/// A field to which devices gave different values without having seen each other's.
package struct FieldConflict: Hashable, Sendable {
    /// One of the values, with its true author and time.
    package struct Candidate: Hashable, Sendable {
        /// The value.
        package let value: Value

        /// The write that gave it; of equal values the one that is shown last.
        package let dot: Dot

        /// When it was given.
        package let timestamp: HybridTimestamp
    }

    /// Which field.
    package let field: Field

    /// The different values, the one that is shown first; two or more.
    package let candidates: [Candidate]

    /// A field with its different values.
    package init(field: Field, candidates: [Candidate]) {
        self.field = field
        self.candidates = candidates
    }
}

extension RecordState {
    /// The fields in conflict, sorted.
    ///
    /// Elements of sets are decided and not listed, nor are deletes.
    package var fieldConflicts: [FieldConflict] {
        if writes.count < 2 { return [] }
        var conflicts: [FieldConflict] = []
        forEachRegister { field, held in
            // Few fields are in more than one write: only at those is worth looking.
            if held.count < 2 || field.isElement || field <= .purged { return }
            let candidates = Self.candidates(survivors(held))
            if candidates.count > 1 {
                conflicts.append(FieldConflict(field: field, candidates: candidates))
            }
        }
        return conflicts
    }

    private func survivors(_ held: ArraySlice<Held>) -> [(write: Write, value: Value)] {
        held.map { (writes[$0.write], $0.assignment.value) }
            .sorted { $1.write.isShown(over: $0.write) }
    }

    /// Gives every register that has a surviving assignment, sorted, with these as `survivors(of:)` does.
    package func forEachRegister(_ body: (Field, [(write: Write, value: Value)]) -> Void) {
        forEachRegister { body($0, survivors($1)) }
    }

    /// The different surviving values of a field, the one that is shown first.
    package func candidates(of field: Field) -> [FieldConflict.Candidate] {
        Self.candidates(survivors(of: field))
    }

    /// The different values among the surviving assignments of one field, which are sorted, the one that is shown last.
    package static func candidates(
        _ survivors: [(write: Write, value: Value)]
    ) -> [FieldConflict.Candidate] {
        // Two or three are compared; a set is for a field to which a member has given thousands.
        let isLong = survivors.count > 8
        var values: Set<Value> = []
        var candidates: [FieldConflict.Candidate] = []
        for (write, value) in survivors.reversed() {
            let isNew =
                isLong
                ? values.insert(value).inserted : !candidates.contains { $0.value == value }
            guard isNew else { continue }
            candidates.append(
                FieldConflict.Candidate(value: value, dot: write.dot, timestamp: write.timestamp))
        }
        return candidates
    }
}
