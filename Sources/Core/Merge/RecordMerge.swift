/// Joins two states of one record: the only merge there is, the same for every pair of replicas.
///
/// Keeps: commutative, associative, idempotent, and no clock ever shrinks.
/// Source: Protocol/4-Merge.md; the rule is that of an optimised add-wins register
/// (Bieniusa et al., "An optimized conflict-free replicated set", 2012) per field.
package enum RecordMerge {
    /// The record that has seen what either has seen.
    ///
    /// An assignment survives if both hold it, or if one holds it and the other's clock does not cover
    /// its dot. A value left out by one side is the other's.
    /// - Complexity: O(n + m) in the assignments.
    package static func merged(_ left: RecordState, _ right: RecordState) -> RecordState {
        if left.isEmpty { return right }
        if right.isEmpty { return left }
        var writes: [Write] = []
        writes.reserveCapacity(left.writes.count + right.writes.count)
        var (i, j) = (0, 0)
        while i < left.writes.count || j < right.writes.count {
            if j == right.writes.count
                || (i < left.writes.count && left.writes[i].dot < right.writes[j].dot)
            {
                let write = left.writes[i]
                if !right.clock.covers(write.dot) { writes.append(write) }
                i += 1
            } else if i == left.writes.count || right.writes[j].dot < left.writes[i].dot {
                let write = right.writes[j]
                if !left.clock.covers(write.dot) { writes.append(write) }
                j += 1
            } else {
                let write = common(left.writes[i], right.writes[j])
                if !write.assignments.isEmpty { writes.append(write) }
                i += 1
                j += 1
            }
        }
        return RecordState(clock: left.clock.joined(with: right.clock), writes: writes)
    }

    /// Whether two records are of equal clocks, but for values that were kept under recovered ids.
    package static func canUnite(_ left: RecordState, _ right: RecordState) -> Bool {
        left.clock == right.clock || left.clock.withoutTwins == right.clock.withoutTwins
    }

    /// Two records as a repair leaves them: united if their clocks are equal; else one whose clock covers the other's stays
    /// as it is, and all others are merged.
    ///
    /// Where each dot names one write, a merge leaves the one that is ahead as it is. Where a dot names two, a merge would
    /// drop what one side alone has under it: if the other side was not sent the record that is behind, it would keep that,
    /// and the two would differ after a full exchange.
    ///
    /// - Parameter recoveredID: the id for a value that cannot keep its dot.
    package static func repaired(
        _ left: RecordState, _ right: RecordState, recoveredID: (Dot, Assignment) -> ReplicaID
    ) -> RecordState {
        if canUnite(left, right) { return united(left, right, recoveredID: recoveredID) }
        if left.clock.covers(right.clock), !left.hasElidedValue { return left }
        if right.clock.covers(left.clock), !right.hasElidedValue { return right }
        return merged(left, right)
    }

    /// Both sides' assignments of two records with equal clocks, found to differ: the repair after
    /// one dot came to name two writes.
    ///
    /// Of two values of one dot and field the greater stays under it, and the other gets the dot of a
    /// recovered id, marked recovered; of two clocks the join stays. The same recovered ids wherever the two meet.
    ///
    /// - Parameter recoveredID: the id for a value that cannot keep its dot.
    package static func united(
        _ left: RecordState, _ right: RecordState, recoveredID: (Dot, Assignment) -> ReplicaID
    ) -> RecordState {
        precondition(canUnite(left, right), "only records with equal clocks are united")
        var writes: [Write] = []
        var (i, j) = (0, 0)
        var displaced: [Write] = []
        while i < left.writes.count || j < right.writes.count {
            if j == right.writes.count
                || (i < left.writes.count && left.writes[i].dot < right.writes[j].dot)
            {
                writes.append(left.writes[i])
                i += 1
            } else if i == left.writes.count || right.writes[j].dot < left.writes[i].dot {
                writes.append(right.writes[j])
                j += 1
            } else {
                writes.append(all(left.writes[i], right.writes[j]))
                displaced += Self.displaced(left.writes[i], right.writes[j], recoveredID)
                i += 1
                j += 1
            }
        }
        let record = RecordState(clock: left.clock.joined(with: right.clock), writes: writes)
        return record.with(displaced)
    }

    /// The values of one dot that cannot keep it, each under a recovered id.
    private static func displaced(
        _ left: Write, _ right: Write, _ recoveredID: (Dot, Assignment) -> ReplicaID
    ) -> [Write] {
        left.assignments.compactMap { mine in
            guard let other = right.value(of: mine.field), other != mine.value,
                !other.isElided, !mine.value.isElided
            else { return nil }
            if case .clock = mine.value, case .clock = other { return nil }
            let isMine = mine.value < other
            let assignment = isMine ? mine : Assignment(mine.field, other)
            return Write(
                dot: Dot(replica: recoveredID(left.dot, assignment), counter: 1),
                timestamp: isMine ? left.timestamp : right.timestamp, isRecovered: true,
                assignments: [assignment])
        }
    }

    /// The assignments of one write that both sides hold.
    private static func common(_ left: Write, _ right: Write) -> Write {
        if left == right { return left }
        var result = head(left, right)
        var (i, j) = (0, 0)
        while i < left.assignments.count, j < right.assignments.count {
            let (mine, theirs) = (left.assignments[i], right.assignments[j])
            if mine.field < theirs.field {
                i += 1
            } else if theirs.field < mine.field {
                j += 1
            } else {
                result.assignments.append(greater(mine, theirs))
                i += 1
                j += 1
            }
        }
        return result
    }

    /// The assignments of one write that either side holds.
    private static func all(_ left: Write, _ right: Write) -> Write {
        var result = head(left, right)
        var (i, j) = (0, 0)
        while i < left.assignments.count || j < right.assignments.count {
            if j == right.assignments.count
                || (i < left.assignments.count
                    && left.assignments[i].field < right.assignments[j].field)
            {
                result.assignments.append(left.assignments[i])
                i += 1
            } else if i == left.assignments.count
                || right.assignments[j].field < left.assignments[i].field
            {
                result.assignments.append(right.assignments[j])
                j += 1
            } else {
                result.assignments.append(greater(left.assignments[i], right.assignments[j]))
                i += 1
                j += 1
            }
        }
        return result
    }

    /// One write's head: equal on both sides unless its values were left out, or its dot was given twice.
    private static func head(_ left: Write, _ right: Write) -> Write {
        Write(
            dot: left.dot, timestamp: max(left.timestamp, right.timestamp),
            isRecovered: left.isRecovered || right.isRecovered, assignments: [])
    }

    private static func greater(_ left: Assignment, _ right: Assignment) -> Assignment {
        if left.value.isElided { return right }
        if right.value.isElided { return left }
        if case .clock(let mine) = left.value, case .clock(let theirs) = right.value {
            // A delete of another, in which one side gave its own writes new dots.
            return Assignment(left.field, .clock(mine.joined(with: theirs)))
        }
        return left.value < right.value ? right : left
    }
}

extension VersionVector {
    /// The entries of true replicas.
    fileprivate var withoutTwins: VersionVector {
        VersionVector(unsorted: entries.filter { !$0.replica.isRecoveredID })
    }
}

extension RecordState {
    /// The record and more writes, kept under recovered ids.
    ///
    /// Of one that is there already, or was once and is not any more, nothing is added but its time.
    /// - Complexity: O(n + m log m) in the writes of the record and those that are kept.
    fileprivate func with(_ kept: [Write]) -> RecordState {
        if kept.isEmpty { return self }
        var result = self
        let positions = Dictionary(
            writes.enumerated().map { ($0.element.dot, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        var added: [Dot: Write] = [:]
        for write in kept {
            if let position = positions[write.dot] {
                let known = result.writes[position].timestamp
                result.writes[position].timestamp = max(known, write.timestamp)
            } else if let known = added[write.dot] {
                added[write.dot]?.timestamp = max(known.timestamp, write.timestamp)
            } else if !clock.covers(write.dot) {
                added[write.dot] = write
            }
        }
        if added.isEmpty { return result }
        result.clock.join(
            VersionVector(
                unsorted: added.keys.map {
                    VersionVector.Entry(replica: $0.replica, counter: $0.counter)
                }))
        result.writes = (result.writes + added.values).sorted { $0.dot < $1.dot }
        return result
    }
}
