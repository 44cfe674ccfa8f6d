import Causality
import Records
import Storage
import Wire

/// To-dos from files.
extension ToDoStore {
    /// Finds or makes to-dos by their ids: what was imported before is updated, never doubled.
    ///
    /// A field that an item lacks is left as it is. Items without an id get one from their content.
    /// - Parameter revives: whether those in the trash are brought back; else they are left there.
    /// - Returns: what became of each, in order.
    package func importItems(
        _ items: [ToDoItem], revives: Bool = false
    ) throws(StoreFault)
        -> [UpsertOutcome]
    {
        let upserts = Self.upserts(items)
        return try store.edit { transaction throws(StoreFault) in
            try transaction.upsert(upserts, into: ToDoSchema.collection, revives: revives)
        }
    }

    /// What `importItems` would do with each; nothing is changed.
    package func rehearseImport(
        _ items: [ToDoItem], revives: Bool = false
    ) throws(StoreFault) -> [ImportStep] {
        let upserts = Self.upserts(items)
        return try store.rehearse { transaction throws(StoreFault) in
            var steps: [ImportStep] = []
            for (item, upsert) in zip(items, upserts) {
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

    private static func upserts(_ items: [ToDoItem]) -> [UpsertItem] {
        zip(items, identifiers(of: items)).map { item, id in
            UpsertItem(id: id, ToDoMapping.assignments(from: nil, to: item))
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
