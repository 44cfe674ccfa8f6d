import Core
import TestSupport

/// The complete history: every write with the writes that its author had seen.
///
/// The rules never read it.
/// From the writes that a record's clock covers it says what must be left of them and whether the
/// record is deleted, in the plain words of the design.
struct WriteHistory {
    /// The kind of a write.
    enum Kind: Hashable {
        case edit
        case delete
        case purge
        case restore
    }

    /// One write.
    struct Entry {
        let dot: Dot
        let record: RecordName
        let kind: Kind
        let timestamp: HybridTimestamp
        let assignments: [Assignment]
        /// The clock of the record before it.
        let past: VersionVector

        /// Whether it replaces what an earlier write gave to a field.
        func replaces(_ field: Field, of earlier: Entry) -> Bool {
            past.covers(earlier.dot)
                && (kind == .purge || assignments.contains { $0.field == field })
        }
    }

    /// An assignment that is still there.
    struct Survivor: Hashable {
        let field: Field
        let value: Value
        let dot: Dot
        let timestamp: HybridTimestamp
    }

    private(set) var entries: [RecordName: [Entry]] = [:]
    private var dots: Set<Dot> = []
    private(set) var count = 0

    /// Whether a write is known.
    func knows(_ dot: Dot) -> Bool { dots.contains(dot) }

    /// Takes note of a write; false if its dot names another one already.
    mutating func add(_ entry: Entry) -> Bool {
        entries[entry.record, default: []].append(entry)
        count += 1
        return dots.insert(entry.dot).inserted
    }

    /// Returns the values that must survive of the writes that a clock covers.
    func survivors(of record: RecordName, at clock: VersionVector) -> Set<Survivor> {
        let all = (entries[record] ?? []).filter { clock.covers($0.dot) }
        var left: Set<Survivor> = []
        for entry in all {
            for assignment in entry.assignments
            where !all.contains(where: { $0.replaces(assignment.field, of: entry) }) {
                left.insert(
                    Survivor(
                        field: assignment.field, value: assignment.value, dot: entry.dot,
                        timestamp: entry.timestamp))
            }
        }
        return left
    }

    /// Whether a record with the writes that a clock covers is deleted.
    func isDeleted(_ record: RecordName, at clock: VersionVector, _ policy: DeletePolicy) -> Bool {
        let all = (entries[record] ?? []).filter { clock.covers($0.dot) }
        func survives(_ field: Field, _ entry: Entry) -> Bool {
            !all.contains { $0.replaces(field, of: entry) }
        }
        let purges = all.filter { purge in
            purge.kind == .purge
                && !all.contains { $0.kind == .restore && $0.past.covers(purge.dot) }
        }
        let deletes = all.filter { entry in
            (entry.kind == .delete || entry.kind == .purge) && survives(.deleted, entry)
        }
        if deletes.isEmpty, purges.isEmpty { return false }
        if policy == .deletesWin { return true }
        for entry in all where entry.kind == .edit || entry.kind == .restore {
            if !purges.isEmpty, entry.kind != .restore { continue }
            guard entry.assignments.contains(where: { survives($0.field, entry) }) else { continue }
            if !(deletes + purges).contains(where: { $0.past.covers(entry.dot) }) { return false }
        }
        return true
    }
}
