/// A record's state: the writes it includes, and of those the assignments that still matter.
///
/// Shape: writes sorted by dot, no dot twice, every dot covered by the clock, no write without an
/// assignment. The merge walks both lists at once and rests on that order.
package struct Record: Hashable, Sendable {
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
        var shown: (write: Write, value: Value)?
        for write in writes {
            guard let value = write.value(of: field) else { continue }
            if let best = shown, !write.isShown(over: best.write) { continue }
            shown = (write, value)
        }
        return shown?.value
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
        var found: [Field] = []
        for write in writes {
            for assignment in write.assignments {
                guard case .element(name, _) = assignment.field else { continue }
                found.append(assignment.field)
            }
        }
        // Hardly ever is an element in more than one write: the rest of the record needs no sorting.
        if found.count > 1 { found.sort() }
        var shown: [Value] = []
        for (index, field) in found.enumerated() where index == 0 || field != found[index - 1] {
            guard case .element(_, let element) = field, case .bool(true)? = visible(field)
            else { continue }
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
            for place in write.assignments.indices.dropFirst()
            where write.assignments[place - 1].field >= write.assignments[place].field {
                return false
            }
        }
        return true
    }
}
