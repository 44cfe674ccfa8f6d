import Core
import Storage

/// A reference of a to-do that was given and does not count, as it closes a circle or leads to a deleted one.
package struct HiddenReference: Sendable {
    /// What the reference says.
    package enum Kind: String, Sendable {
        /// The to-do is a part of the other one.
        case parent
        /// It waits for the other one.
        case depends
    }

    /// What it says.
    package let kind: Kind
    /// The to-do that was named.
    package let target: Record
    /// The to-dos by which that one leads back, itself the first; only itself where other circles cover the way, and
    /// none if it is deleted.
    package let way: [Record]

    /// Whether it does not count as the to-do that was named is deleted; else it closes a circle.
    package var isToDeleted: Bool { target.verdict.isDeleted }
}

/// References that do not count: of a circle that devices gave apart it is one (`ReferenceRule`), and nobody decided which.
extension ToDoStore {
    /// The references of a to-do that lead to one which is there or deleted, and do not count.
    package func hiddenReferences(of record: Record) throws(StoreFault) -> [HiddenReference] {
        if record.verdict.isDeleted { return [] }
        let item = ToDoMapping.item(record)
        if item.parent == nil, item.depends.isEmpty { return [] }
        return try store.reading { () throws(StoreFault) in
            try hiddenParent(of: record, item) + hiddenDependencies(of: record, item)
        }
    }

    private func hiddenParent(
        of record: Record, _ item: ToDoItem
    ) throws(StoreFault) -> [HiddenReference] {
        guard let parent = item.parent.map({ RecordID(value: $0) }) else { return [] }
        let parents = try parents(of: [record])
        guard parents[record.id] == nil, let target = try stored(parent) else { return [] }
        if target.verdict.isDeleted {
            return [HiddenReference(kind: .parent, target: target, way: [])]
        }
        return [
            try hidden(.parent, target, to: record) { id in parents[id].map { [$0] } ?? [] }
        ]
    }

    private func hiddenDependencies(
        of record: Record, _ item: ToDoItem
    ) throws(StoreFault) -> [HiddenReference] {
        if item.depends.isEmpty { return [] }
        let (targets, reached) = try store.followedSets(
            .number(ToDoSchema.Number.depends), of: [record])
        let followed = Set(targets[record.id] ?? [])
        var hidden: [HiddenReference] = []
        for id in item.depends.map({ RecordID(value: $0) }) where !followed.contains(id) {
            guard let target = reached[id] else {
                // One that was purged may have another in its place, which counts.
                if let gone = try stored(id), gone.standing == .trashed {
                    hidden.append(HiddenReference(kind: .depends, target: gone, way: []))
                }
                continue
            }
            hidden.append(
                try self.hidden(.depends, target, to: record) { targets[$0] ?? [] })
        }
        return hidden
    }

    /// A reference with the shortest way back from its target.
    private func hidden(
        _ kind: HiddenReference.Kind, _ target: Record, to record: Record,
        next: (RecordID) -> [RecordID]
    ) throws(StoreFault) -> HiddenReference {
        var before: [RecordID: RecordID] = [:]
        var seen: Set<RecordID> = [target.id]
        var rest = [target.id]
        while !rest.isEmpty, !seen.contains(record.id) {
            var further: [RecordID] = []
            for id in rest {
                for other in next(id) where seen.insert(other).inserted {
                    before[other] = id
                    further.append(other)
                }
            }
            rest = further
        }
        var ids: [RecordID] = []
        var last = before[record.id]
        while let id = last {
            ids.append(id)
            last = before[id]
        }
        var way: [Record] = []
        for id in ids.reversed() {
            if let found = try stored(id) { way.append(found) }
        }
        return HiddenReference(kind: kind, target: target, way: way.isEmpty ? [target] : way)
    }
}
