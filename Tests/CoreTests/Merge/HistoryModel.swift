import Core

/// The complete history: every write with its causal past, as a set of writes.
///
/// Written apart from the merge, from the rules on the page, to be checked against it: it knows no
/// clocks, compares nothing but sets, and is as slow as it is plain. Source: Protocol/4-Merge.md.
final class HistoryModel {
    enum Kind: Hashable {
        case edit
        case delete
        case restore
        case purge
    }

    /// One write: the values of its registers, and all that its author had seen.
    struct Event: Hashable {
        let dot: Dot
        let timestamp: HybridTimestamp
        let kind: Kind
        var isRecovered = false
        let given: [Assignment]
        let past: [Int]
    }

    /// The known state of a deletion.
    struct Judgement: Hashable {
        let isDeleted: Bool
        let isPurged: Bool
        let isContested: Bool
        var isEditedAfterPurge = false
    }

    /// A write whose assignment of one field no later write has replaced.
    struct Survivor: Hashable {
        let event: Int
        let field: Field
        let value: Value
    }

    private(set) var events: [Event] = []
    private var pasts: [Set<Int>] = []
    private var fieldsOf: [Set<Field>] = []
    private var numbers: [Event: Int] = [:]

    /// The number of a write; the same write has the same number in every program.
    func add(_ event: Event) -> Int {
        if let number = numbers[event] { return number }
        events.append(event)
        pasts.append(Set(event.past))
        fieldsOf.append(Set(event.given.map(\.field)))
        numbers[event] = events.count - 1
        return events.count - 1
    }

    /// The assignments of the writes in `ghost` that no write in it replaced, having seen them.
    func survivors(_ ghost: [Int]) -> [Survivor] {
        ghost.flatMap { number in
            events[number].given.compactMap { assignment in
                let isReplaced = ghost.contains { later in
                    pasts[later].contains(number)
                        && (fieldsOf[later].contains(assignment.field)
                            || events[later].kind == .purge)
                }
                return isReplaced
                    ? nil
                    : Survivor(event: number, field: assignment.field, value: assignment.value)
            }
        }
    }

    /// For each replica the highest counter among the writes.
    func clock(_ ghost: [Int]) -> VersionVector {
        VersionVector(
            unsorted: ghost.map {
                VersionVector.Entry(
                    replica: events[$0].dot.replica, counter: events[$0].dot.counter)
            })
    }

    /// The record that a replica must hold which has seen these writes.
    func record(_ ghost: [Int]) -> RecordState {
        var given: [Int: [Assignment]] = [:]
        for survivor in survivors(ghost) {
            given[survivor.event, default: []].append(Assignment(survivor.field, survivor.value))
        }
        let writes = given.map { number, assignments in
            Write(
                dot: events[number].dot, timestamp: events[number].timestamp,
                isRecovered: events[number].isRecovered,
                assignments: assignments.sorted {
                    Self.bytes($0.field).lexicographicallyPrecedes(Self.bytes($1.field))
                })
        }
        return RecordState(clock: clock(ghost), writes: writes.sorted { $0.dot < $1.dot })
    }

    /// A field's canonical bytes, which give the order of a write's assignments.
    private static func bytes(_ field: Field) -> [UInt8] {
        var writer = CanonicalWriter()
        switch field {
        case .number(let number): writer.unsigned(UInt64(number))
        case .text(let text): writer.text(text)
        case .element(.number(let number), let element):
            writer.array(2)
            writer.unsigned(UInt64(number))
            element.write(to: &writer)
        case .element(.text(let text), let element):
            writer.array(2)
            writer.text(text)
            element.write(to: &writer)
        }
        return writer.bytes
    }

    /// The different values of a field, the shown one first.
    func values(of field: Field, _ ghost: [Int]) -> [Value] {
        let ranked = survivors(ghost).filter { $0.field == field }.sorted { left, right in
            let (a, b) = (events[left.event], events[right.event])
            let one = (a.timestamp.rawValue, a.dot.replica.value, a.dot.counter)
            return one > (b.timestamp.rawValue, b.dot.replica.value, b.dot.counter)
        }
        var values: [Value] = []
        for survivor in ranked where !values.contains(survivor.value) {
            values.append(survivor.value)
        }
        return values
    }

    /// The fields in conflict.
    func conflicts(_ ghost: [Int]) -> Set<Field> {
        Set(
            survivors(ghost).map(\.field).filter {
                !$0.isElement && $0 != .deleted && $0 != .purged && values(of: $0, ghost).count > 1
            })
    }

    /// Whether the record is deleted, by what happened alone.
    func judgement(_ ghost: [Int], _ policy: DeletePolicy) -> Judgement {
        let left = survivors(ghost)
        let deletes = left.filter { $0.field == .deleted && isDelete($0.event) }.map(\.event)
        let purges = ghost.filter { number in
            events[number].kind == .purge
                && !ghost.contains {
                    events[$0].kind == .restore && pasts[$0].contains(number)
                }
        }
        let gone = deletes + purges
        let speaks = left.contains { survivor in
            !isDelete(survivor.event) && !events[survivor.event].isRecovered
                && (purges.isEmpty || events[survivor.event].kind == .restore)
                && !gone.contains { pasts[$0].contains(survivor.event) }
        }
        let isContested = !gone.isEmpty && speaks
        let isRestored = left.contains { survivor in
            events[survivor.event].kind == .restore && survivor.field == .deleted
                && !events[survivor.event].isRecovered
        }
        return Judgement(
            isDeleted: !gone.isEmpty && (policy == .deletesWin || !isContested),
            isPurged: !purges.isEmpty, isContested: isContested,
            isEditedAfterPurge: !purges.isEmpty && !isRestored && !kept(left).isEmpty)
    }

    /// Of survivors the values that a person gave: no marks, and nothing that was cleared.
    private func kept(_ left: [Survivor]) -> [Survivor] {
        left.filter { $0.field != .deleted && $0.field != .purged && $0.value != .null }
    }

    /// The values that a copy of a purged record must have, by field, the shown one first.
    func copied(_ ghost: [Int]) -> [Field: [Value]] {
        var copied: [Field: [Value]] = [:]
        for field in Set(kept(survivors(ghost)).map(\.field)) {
            copied[field] = values(of: field, ghost).filter { $0 != .null }
        }
        return copied
    }

    /// The writes that a copy of a purged record is named after.
    func copiedDots(_ ghost: [Int]) -> Set<Dot> {
        Set(kept(survivors(ghost)).map { events[$0.event].dot })
    }

    private func isDelete(_ number: Int) -> Bool {
        events[number].kind == .delete || events[number].kind == .purge
    }
}

/// The writes of a user's edit, by the rules of the protocol page.
extension HistoryModel {
    /// The result of an edit.
    enum Outcome: Equatable {
        /// Refused, or nothing to write: the record stays as it is.
        case nothing
        /// The writes that are seen afterwards.
        case seen([Int])
    }

    /// Whether a form that gives `value` to `field` writes it.
    func writes(_ assignment: Assignment, resolves: Bool, _ ghost: [Int]) -> Bool {
        let values = values(of: assignment.field, ghost)
        guard let shown = values.first else { return assignment.value != .null }
        return shown != assignment.value || (resolves && values.count > 1)
    }

    /// A form is saved.
    func save(
        _ assignments: [Assignment], resolves: Bool, by author: Author, on ghost: [Int]
    ) -> Outcome {
        if judgement(ghost, author.policy).isDeleted { return .nothing }
        let changed = assignments.filter { writes($0, resolves: resolves, ghost) }
        if changed.isEmpty { return .nothing }
        return .seen(extended(ghost, .edit, [changed], author))
    }

    /// A record is deleted.
    func delete(by author: Author, on ghost: [Int]) -> Outcome {
        let before = judgement(ghost, author.policy)
        if ghost.isEmpty || (before.isDeleted && !before.isContested) { return .nothing }
        return .seen(extended(ghost, .delete, [[deletion(author, ghost)]], author))
    }

    /// A record is purged by force.
    ///
    /// - Parameter leavesMark: false for the mistake of dropping everything.
    func purge(leavesMark: Bool = true, by author: Author, on ghost: [Int]) -> Outcome {
        let before = judgement(ghost, author.policy)
        let isBare = survivors(ghost).allSatisfy { $0.field == .deleted || $0.field == .purged }
        if ghost.isEmpty || (before.isPurged && isBare && !before.isContested) { return .nothing }
        let given = [deletion(author, ghost), Assignment(.purged, .bool(true))]
        return .seen(extended(ghost, .purge, [leavesMark ? given : []], author))
    }

    /// A record is brought back.
    ///
    /// - Parameter isWhole: false for the mistake of writing the flag alone.
    func restore(isWhole: Bool = true, by author: Author, on ghost: [Int]) -> Outcome {
        let before = judgement(ghost, author.policy)
        guard before.isDeleted || before.isContested else { return .nothing }
        let left = survivors(ghost)
        if before.isPurged, !left.contains(where: { $0.field == .deleted && $0.value == .null }) {
            return .nothing
        }
        var layers: [[Assignment]] = [[Assignment(.deleted, .null)]]
        for field in Set(left.map(\.field)).sorted() where field != .deleted {
            if field == .purged {
                layers[0].append(Assignment(.purged, .null))
                continue
            }
            guard isWhole else { continue }
            for (rank, value) in values(of: field, ghost).enumerated() {
                if rank == layers.count { layers.append([]) }
                layers[rank].append(Assignment(field, value))
            }
        }
        return .seen(extended(ghost, .restore, layers.reversed(), author))
    }

    private func deletion(_ author: Author, _ ghost: [Int]) -> Assignment {
        var seen = clock(ghost)
        seen.include(author.counter + 1, of: author.replica)
        return Assignment(.deleted, .clock(seen))
    }

    /// Adds one write for each layer; none of them has seen another.
    private func extended(
        _ ghost: [Int], _ kind: Kind, _ layers: [[Assignment]], _ author: Author
    ) -> [Int] {
        var result = ghost
        for (index, layer) in layers.enumerated() {
            let dot = Dot(replica: author.replica, counter: author.counter + UInt64(index) + 1)
            let event = Event(
                dot: dot, timestamp: author.timestamp, kind: kind,
                given: layer.sorted { $0.field < $1.field }, past: ghost)
            result.append(add(event))
        }
        return result.sorted()
    }
}

/// Something that a person does to a record.
enum Move: Hashable, CustomStringConvertible {
    /// Saves fields, perhaps to end a conflict.
    case save([Assignment], resolves: Bool)
    case delete
    case restore
    /// By force: the rules about when a purge is refused are checked apart.
    case purge

    var description: String {
        switch self {
        case .save(let assignments, let resolves):
            (resolves ? "resolve " : "save ")
                + assignments.map { "\($0.field)=\($0.value)" }.joined(separator: ",")
        case .delete: "delete"
        case .restore: "restore"
        case .purge: "purge"
        }
    }
}

/// The author of an edit: replica, clock, and the space's delete policy.
struct Author {
    let replica: ReplicaID
    /// The last counter used.
    let counter: UInt64
    let timestamp: HybridTimestamp
    let policy: DeletePolicy
}
