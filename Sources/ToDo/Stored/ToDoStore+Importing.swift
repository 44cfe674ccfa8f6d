import Causality
import Merge
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

    /// Imports all that was read of a file, or nothing.
    ///
    /// What the file says was in the trash is made there unless it is here, alive or not. Values that
    /// stood beside a shown one become fields of their own, unless that conflict is open here, too.
    /// - Returns: what became of the items, then of those in the trash; changes only if asked for.
    package func importFile(
        _ reading: FormatReading, revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [ImportStep] {
        try store.edit { transaction throws(StoreFault) in
            try importFile(reading, revives, echo, transaction, tellsChanges: false)
        }
    }

    /// What `importFile` would do, with the changes of each; nothing is changed.
    package func rehearseImport(
        _ reading: FormatReading, revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [ImportStep] {
        try store.rehearse { transaction throws(StoreFault) in
            try importFile(reading, revives, echo, transaction, tellsChanges: true)
        }
    }

    private func importFile(
        _ reading: FormatReading, _ revives: Bool, _ echo: FormatEcho,
        _ transaction: Transaction, tellsChanges: Bool
    ) throws(StoreFault) -> [ImportStep] {
        let besides = try missing(reading.besides)
        let items = Self.giving(besides, to: reading.items)
        let upserts = try upserts(items, echo)
        var steps: [ImportStep] = []
        if tellsChanges {
            for (item, upsert) in zip(items, upserts) {
                steps.append(
                    try step(item, upsert, revives, transaction, reading.columns, echo))
            }
        } else {
            let outcomes = try transaction.upsert(
                upserts, into: ToDoSchema.collection, revives: revives)
            steps = zip(outcomes, items).map { ImportStep(outcome: $0, title: $1.title) }
        }
        let trash = Self.giving(besides, to: reading.trash)
        for (item, id) in zip(trash, Self.identifiers(of: trash)) {
            steps.append(try bury(item, id, transaction))
        }
        return steps
    }

    /// Imports one to-do and tells what changed.
    private func step(
        _ item: ToDoItem, _ upsert: UpsertItem, _ revives: Bool, _ transaction: Transaction,
        _ columns: Set<String>, _ echo: FormatEcho
    ) throws(StoreFault) -> ImportStep {
        let before = try transaction.record(upsert.id)
        let outcome = try transaction.upsert(
            [upsert], into: ToDoSchema.collection, revives: revives)[0]
        var changes: [ItemDifference] = []
        if case .updated = outcome, let before, let after = try transaction.record(upsert.id) {
            changes = ItemDifference.between(ToDoMapping.item(before), ToDoMapping.item(after))
        }
        var kept: [String] = []
        if before != nil, !columns.isEmpty, let after = try transaction.record(upsert.id) {
            kept = Self.kept(ToDoMapping.item(after), of: item, columns, echo)
        }
        return ImportStep(outcome: outcome, title: item.title, changes: changes, kept: kept)
    }

    /// The fields that a table has a column for and says less of than the to-do does after its import.
    private static func kept(
        _ after: ToDoItem, of item: ToDoItem, _ columns: Set<String>, _ echo: FormatEcho
    ) -> [String] {
        let forms = echo.forms(after).map { ItemDifference.between(item, $0).map(\.field) }
        return ItemDifference.between(item, after).map(\.field).filter { field in
            columns.contains(field) && forms.allSatisfy { $0.contains(field) }
        }.sorted()
    }

    /// Makes a to-do in the trash, unless it is here: an import deletes nothing.
    private func bury(
        _ item: ToDoItem, _ id: RecordID, _ transaction: Transaction
    ) throws(StoreFault) -> ImportStep {
        let outcome: UpsertOutcome
        if let here = try transaction.record(id) {
            outcome = here.verdict.isDeleted ? .skippedDeleted(id) : .unchanged(id)
        } else {
            try transaction.insert(
                ToDoMapping.assignments(from: nil, to: item), into: ToDoSchema.collection, id: id)
            try transaction.delete(id)
            outcome = .inserted(id)
        }
        return ImportStep(outcome: outcome, title: item.title, isTrash: true)
    }

    /// The values that are not in a conflict that is open here as well.
    private func missing(_ besides: [BesideValue]) throws(StoreFault) -> [BesideValue] {
        var missing: [BesideValue] = []
        for beside in besides {
            let here = try stored(RecordID(value: beside.item))
            let open = here?.record.fieldConflicts.map { BackupLine.name($0.field) } ?? []
            if !open.contains(beside.field) { missing.append(beside) }
        }
        return missing
    }

    private static func giving(_ besides: [BesideValue], to items: [ToDoItem]) -> [ToDoItem] {
        if besides.isEmpty { return items }
        let byItem = Dictionary(grouping: besides, by: \.item)
        return items.map { item in
            var item = item
            for beside in item.identifier.flatMap({ byItem[$0] }) ?? [] {
                item.custom[beside.customName] = beside.value ?? .text("")
            }
            return item
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
        // The last is the first to go.
        here = here.mapValues { $0.reversed() }
        return zip(items, ids).map { item, id in
            present.contains(id) ? id : here[key(item)]?.popLast() ?? id
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
