import Core

/// What a person's edit writes, by the page.
extension HistoryModel {
    /// What an edit comes to.
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
