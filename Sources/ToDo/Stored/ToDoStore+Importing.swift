import Causality
import Records
import Storage
import Wire

/// To-dos from files.
extension ToDoStore {
    /// Finds or makes to-dos by their ids: what was imported before is updated, never doubled.
    ///
    /// A field that an item lacks is left as it is. Items without an id get one from their content.
    /// - Parameters:
    ///   - revives: whether those in the trash are brought back; else they are left there.
    ///   - echo: how the file's format knows again what went out in it.
    /// - Returns: what became of each, in order.
    package func importItems(
        _ items: [ToDoItem], revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [UpsertOutcome] {
        try store.edit { transaction throws(StoreFault) in
            try transaction.upsert(
                try upserts(items, echo), into: ToDoSchema.collection, revives: revives)
        }
    }

    /// What `importItems` would do with each; nothing is changed.
    package func rehearseImport(
        _ items: [ToDoItem], revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [ImportStep] {
        try store.rehearse { transaction throws(StoreFault) in
            var steps: [ImportStep] = []
            for (item, upsert) in zip(items, try upserts(items, echo)) {
                let before = try transaction.record(upsert.id)
                let outcome = try transaction.upsert(
                    [upsert], into: ToDoSchema.collection, revives: revives)[0]
                var changes: [ItemDifference] = []
                if case .updated = outcome, let before,
                    let after = try transaction.record(upsert.id)
                {
                    changes = ItemDifference.between(
                        ToDoMapping.item(before), ToDoMapping.item(after))
                }
                steps.append(ImportStep(outcome: outcome, title: item.title, changes: changes))
            }
            return steps
        }
    }

    private func upserts(
        _ items: [ToDoItem], _ echo: FormatEcho
    ) throws(StoreFault) -> [UpsertItem] {
        var ids = Self.identifiers(of: items)
        var known = try known(ids)
        if let key = echo.key, ids.contains(where: { known[$0] == nil }) {
            ids = try recognized(items, ids, key)
            known = try self.known(ids)
        }
        return zip(items, ids).map { item, id in
            var assignments = ToDoMapping.assignments(from: nil, to: item)
            if let shown = known[id] {
                for form in echo.forms(shown) {
                    let echoed = Set(ToDoMapping.assignments(from: nil, to: form))
                    assignments.removeAll { echoed.contains($0) }
                }
            }
            return UpsertItem(id: id, assignments)
        }
    }

    /// No query names more ids.
    private static let lookupCountMax = 500

    /// The to-dos of these ids that are here, deleted ones too.
    private func known(_ ids: [RecordID]) throws(StoreFault) -> [RecordID: ToDoItem] {
        var known: [RecordID: ToDoItem] = [:]
        for start in stride(from: 0, to: ids.count, by: Self.lookupCountMax) {
            let some = ids[start..<min(start + Self.lookupCountMax, ids.count)]
            let found = try store.fetch(
                FetchRequest(ToDoSchema.collection, scope: .all, where: .oneOf(Array(some))))
            for stored in found { known[stored.id] = ToDoMapping.item(stored) }
        }
        return known
    }

    /// The ids of to-dos that are here already and went out without them.
    private func recognized(
        _ items: [ToDoItem], _ ids: [RecordID], _ key: (ToDoItem) -> [UInt8]
    ) throws(StoreFault) -> [RecordID] {
        let named = Set(ids)
        var here: [[UInt8]: [RecordID]] = [:]
        var present: Set<RecordID> = []
        for stored in try store.fetch(FetchRequest(ToDoSchema.collection)) {
            if named.contains(stored.id) {
                present.insert(stored.id)
            } else {
                here[key(ToDoMapping.item(stored)), default: []].append(stored.id)
            }
        }
        return zip(items, ids).map { item, id in
            if present.contains(id) { return id }
            let content = key(item)
            guard let first = here[content]?.first else { return id }
            here[content]?.removeFirst()
            return first
        }
    }

    /// The ids that items have, or get on every device; items alike are told apart by their order.
    private static func identifiers(of items: [ToDoItem]) -> [RecordID] {
        var counts: [String: Int] = [:]
        return items.map { item in
            if let identifier = item.identifier { return RecordID(value: identifier) }
            let content = JSONLinesFormat.line(item)
            let number = counts[content, default: 0]
            counts[content] = number + 1
            return Store.derivedID(ToDoSchema.collection, key: "\(content)\n\(number)")
        }
    }

    /// 128 well mixed bits of a foreign item's content, for an id that stays the same for ever.
    package static func contentHash(_ bytes: [UInt8]) -> UInt128 {
        SipHash(key0: 0x696d_706f_7274, key1: 2).hash128(bytes)
    }
}
