import Core
import JSON
import Storage

/// To-dos from files.
extension ToDoStore {
    /// Finds or makes to-dos by their ids: what was imported before is updated, never doubled.
    ///
    /// A field that an item lacks is left as it is. Items without an id get one from their content.
    /// - Parameters:
    ///   - revives: whether those in the trash are brought back, and those that were purged made anew; else they
    ///     are left so.
    ///   - echo: how the file's format knows again what went out in it.
    /// - Returns: what became of each, in order.
    package func importItems(
        _ items: [ToDoItem], revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [UpsertOutcome] {
        try store.edit { transaction throws(StoreFault) in
            var counts: [UInt128: Int] = [:]
            return try upsert(
                items, try identifiers(items, echo, &counts), revives, echo, transaction
            ) {
                Self.step($0, of: items[$0.index])
            }.map(\.outcome)
        }
    }

    private func upsert(
        _ items: [ToDoItem], _ ids: [RecordID], _ revives: Bool, _ echo: FormatEcho,
        _ transaction: Transaction, telling step: (UpsertStep) throws(StoreFault) -> ImportStep
    ) throws(StoreFault) -> [ImportStep] {
        var steps: [ImportStep] = []
        steps.reserveCapacity(ids.count)
        try transaction.upsert(ids, into: ToDoSchema.collection, revives: revives) { index, known in
            Self.assignments(of: items[index], known: known.map { ToDoMapping.item($0) }, echo)
        } done: { found throws(StoreFault) in
            steps.append(try step(found))
        }
        return steps
    }

    /// The effect on one entry, without the changes.
    private static func step(_ found: UpsertStep, of item: ToDoItem) -> ImportStep {
        var fields: [Field] = []
        if case .updated = found.outcome, let before = found.before {
            fields = replaced(in: before, by: found.assignments)
        }
        return ImportStep(
            outcome: found.outcome, title: item.title,
            replaced: fields.map(ToDoSchema.name(of:)))
    }

    /// The fields that say something else here than they are given.
    private static func replaced(
        in known: Record, by assignments: [Assignment]
    ) -> [Field] {
        assignments.filter { assignment in
            guard !assignment.field.isElement, let shown = known.record.visible(assignment.field)
            else { return false }
            return !shown.isNull && shown != assignment.value
        }.map(\.field)
    }

    /// Imports all that was read of a file, or nothing.
    ///
    /// To-dos that the file has in the trash are made in the trash here, unless they exist here,
    /// deleted or not. Values that stood beside a shown one become fields of their own, unless that
    /// conflict is open here, too.
    /// - Returns: what became of the items, then of those in the trash; changes only if asked for.
    package func importFile(
        _ reading: FormatReading, revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [ImportStep] {
        try store.edit { transaction throws(StoreFault) in
            try importFile(reading, revives, echo, transaction, tellsChanges: false)
        }
    }

    /// The effect that `importFile` would have, with the changes of each; nothing is changed.
    package func rehearseImport(
        _ reading: FormatReading, revives: Bool = false, echo: FormatEcho = .exact
    ) throws(StoreFault) -> [ImportStep] {
        try store.rehearse { transaction throws(StoreFault) in
            try importFile(reading, revives, echo, transaction, tellsChanges: true)
        }
    }

    /// Imports what is read of a file page by page, all of it or nothing; no more of it is held than a page.
    ///
    /// - Parameters:
    ///   - besides: the values beside shown ones of the whole file, as an earlier reading found them.
    ///   - echo: how the file's format, whose entries have ids, knows again what went out in it.
    ///   - pages: gives each page of the file to its argument.
    package func importPages(
        besides: [BesideValue], revives: Bool = false, echo: FormatEcho = .exact,
        _ pages: (_ body: (FormatReading) throws -> Void) throws -> Void
    ) throws -> ImportSummary {
        try store.enlargeCache()
        return try store.write { transaction in
            try importPages(
                besides, revives, echo, transaction, tellsChanges: false, into: ImportSummary(),
                pages)
        }
    }

    /// The effect that `importPages` would have; nothing is changed, and no more of the file is held than a page.
    package func rehearsePages(
        besides: [BesideValue], revives: Bool = false, echo: FormatEcho = .exact,
        _ pages: (_ body: (FormatReading) throws -> Void) throws -> Void
    ) throws -> ImportPlan {
        try store.enlargeCache()
        let plan = try store.rehearse { transaction throws(StoreFault) in
            Result {
                try importPages(
                    besides, revives, echo, transaction, tellsChanges: true, into: ImportPlan(),
                    pages)
            }
        }
        return try plan.get()
    }

    private func importPages<Steps: ImportSteps>(
        _ besides: [BesideValue], _ revives: Bool, _ echo: FormatEcho, _ transaction: Transaction,
        tellsChanges: Bool, into steps: Steps,
        _ pages: (_ body: (FormatReading) throws -> Void) throws -> Void
    ) throws -> Steps {
        var known = try common(besides, revives: revives)
        var steps = steps
        try pages { page in
            let made = try importPage(
                page, &known, revives, echo, transaction, tellsChanges: tellsChanges)
            for step in made { steps.add(step) }
        }
        return steps
    }

    private func importFile(
        _ reading: FormatReading, _ revives: Bool, _ echo: FormatEcho,
        _ transaction: Transaction, tellsChanges: Bool
    ) throws(StoreFault) -> [ImportStep] {
        var known = try common(reading.besides, revives: revives)
        return try importPage(
            reading, &known, revives, echo, transaction, tellsChanges: tellsChanges)
    }

    /// The facts that the pages of an import have in common.
    private struct KnownOfFile {
        /// The values beside shown ones that become fields, by item.
        let besides: [UInt128: [BesideValue]]
        /// The ids of copies of what is kept of purged to-dos.
        let kept: Set<RecordID>
        /// How many entries without an id there were with a content, by its hash; to-dos, then those in the trash.
        var counts: [UInt128: Int] = [:]
        var trashCounts: [UInt128: Int] = [:]
    }

    private func common(
        _ besides: [BesideValue], revives: Bool
    ) throws(StoreFault) -> KnownOfFile {
        KnownOfFile(
            besides: Dictionary(grouping: try missing(besides), by: \.item),
            kept: revives ? [] : try keptCopies())
    }

    private func importPage(
        _ reading: FormatReading, _ known: inout KnownOfFile, _ revives: Bool, _ echo: FormatEcho,
        _ transaction: Transaction, tellsChanges: Bool
    ) throws(StoreFault) -> [ImportStep] {
        var items = Self.giving(known.besides, to: reading.items)
        var ids = try identifiers(items, echo, &known.counts)
        let left = ids.indices.filter { known.kept.contains(ids[$0]) }
        let leftSteps = left.map {
            ImportStep(outcome: .skippedPurged(ids[$0]), title: items[$0].title)
        }
        for index in left.reversed() {
            items.remove(at: index)
            ids.remove(at: index)
        }
        var steps = try upsert(items, ids, revives, echo, transaction) { found throws(StoreFault) in
            let step = Self.step(found, of: items[found.index])
            return tellsChanges
                ? try telling(
                    step, found.before, items[found.index], transaction, reading.columns, echo)
                : step
        }
        steps += leftSteps
        let trash = Self.giving(known.besides, to: reading.trash)
        for (item, id) in zip(trash, Self.identifiers(of: trash, &known.trashCounts)) {
            steps.append(try bury(item, id, transaction))
        }
        return steps
    }

    /// The ids of the copies that could be made of what is kept of purged to-dos: as long as it is kept here, our
    /// own export brings no copy.
    private func keptCopies() throws(StoreFault) -> Set<RecordID> {
        let conflicted = try store.fetch(
            FetchRequest(ToDoSchema.collection, scope: .conflicted))
        let edited = conflicted.filter { $0.standing == .editedAfterPurge }
        return Set(edited.map(\.copyID))
    }

    /// A step, and what changed by it just now.
    private func telling(
        _ step: ImportStep, _ before: Record?, _ item: ToDoItem, _ transaction: Transaction,
        _ columns: Set<String>, _ echo: FormatEcho
    ) throws(StoreFault) -> ImportStep {
        guard let before, let after = try transaction.record(step.id) else { return step }
        var step = step
        if case .updated = step.outcome {
            step.changes = ItemDifference.between(
                ToDoMapping.item(before), ToDoMapping.item(after))
            let open = Set(after.record.fieldConflicts.map(\.field))
            step.decided = before.record.fieldConflicts.map(\.field)
                .filter { !open.contains($0) }.map(ToDoSchema.name(of:))
        }
        if !columns.isEmpty {
            step.kept = Self.kept(ToDoMapping.item(after), of: item, columns, echo)
        }
        return step
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
            outcome =
                switch here.standing {
                case .live: .unchanged(id)
                case .trashed: .skippedDeleted(id)
                case .purged, .editedAfterPurge: .skippedPurged(id)
                }
        } else {
            try transaction.insert(
                try transaction.following(ToDoMapping.assignments(from: nil, to: item)),
                into: ToDoSchema.collection, id: id)
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

    private static func giving(
        _ besides: [UInt128: [BesideValue]], to items: [ToDoItem]
    ) -> [ToDoItem] {
        if besides.isEmpty { return items }
        return items.map { item in
            var item = item
            for beside in item.identifier.flatMap({ besides[$0] }) ?? [] {
                item.custom[beside.customName] = beside.value ?? .text("")
            }
            return item
        }
    }

    /// The ids of what is read, in order; what went out without an id is known by its content.
    private func identifiers(
        _ items: [ToDoItem], _ echo: FormatEcho, _ counts: inout [UInt128: Int]
    ) throws(StoreFault) -> [RecordID] {
        let ids = try formerIdentifiers(items, Self.identifiers(of: items, &counts))
        guard let key = echo.key else { return ids }
        let here = try present(ids)
        return ids.allSatisfy(here.contains) ? ids : try recognized(items, ids, key)
    }

    /// The assignments that an item gives a to-do: none for values that came back as they went out.
    private static func assignments(
        of item: ToDoItem, known: ToDoItem?, _ echo: FormatEcho
    ) -> [Assignment] {
        var assignments = ToDoMapping.assignments(from: nil, to: item)
        guard let known else { return assignments }
        for form in echo.forms(known) {
            let echoed = Set(ToDoMapping.assignments(from: nil, to: form))
            assignments.removeAll { echoed.contains($0) }
        }
        if TaskwarriorRecurrence.isOccurrence(item), known.series == nil {
            assignments = tying(item, to: known, assignments)
        }
        return assignments
    }

    /// The values that make an occurrence of a task imported before occurrences were understood.
    private static func tying(
        _ item: ToDoItem, to known: ToDoItem, _ assignments: [Assignment]
    ) -> [Assignment] {
        var tied = known
        tied.series = item.series
        tied.occurrence = item.occurrence
        tied.repeats = item.repeats
        tied.anchor = item.anchor
        for name in TaskwarriorRecurrence.namesOfPosition { tied.custom[name] = nil }
        let ties = ToDoMapping.assignments(from: known, to: tied)
        let fields = Set(ties.map(\.field))
        return assignments.filter { !fields.contains($0.field) } + ties
    }

    /// The ids, but those that tasks of Taskwarrior got that were imported before occurrences were understood:
    /// they are here under the id that they have there.
    private func formerIdentifiers(
        _ items: [ToDoItem], _ ids: [RecordID]
    ) throws(StoreFault) -> [RecordID] {
        let former = items.map { item -> RecordID? in
            guard TaskwarriorRecurrence.isOccurrence(item),
                case .text(let text)? = item.custom[TaskwarriorRecurrence.identifier]
            else { return nil }
            return UUIDText.value(text).map { RecordID(value: $0) }
        }
        let asked = zip(ids, former).flatMap { id, former in former.map { [id, $0] } ?? [] }
        if asked.isEmpty { return ids }
        let here = try present(asked)
        return zip(ids, former).map { id, former in
            guard let former, !here.contains(id), here.contains(former) else { return id }
            return former
        }
    }

    /// No query names more ids.
    private static let lookupCountMax = 500

    /// The ids that are here, of deleted to-dos too.
    private func present(_ ids: [RecordID]) throws(StoreFault) -> Set<RecordID> {
        var present: Set<RecordID> = []
        for start in stride(from: 0, to: ids.count, by: Self.lookupCountMax) {
            let some = ids[start..<min(start + Self.lookupCountMax, ids.count)]
            let found = try store.fetch(
                FetchRequest(ToDoSchema.collection, scope: .all, where: .oneOf(Array(some))))
            present.formUnion(found.map(\.id))
        }
        return present
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
    ///
    /// - Parameter counts: how many there were before of a content, by its hash.
    private static func identifiers(
        of items: [ToDoItem], _ counts: inout [UInt128: Int]
    ) -> [RecordID] {
        items.map { item in
            if let identifier = item.identifier { return RecordID(value: identifier) }
            let content = JSONLinesFormat.line(item)
            let hash = contentHash(Array(content.utf8))
            let number = counts[hash, default: 0]
            counts[hash] = number + 1
            return Store.derivedID(ToDoSchema.collection, key: "\(content)\n\(number)")
        }
    }

    /// 128 well mixed bits of a foreign item's content, for an id that stays the same for ever.
    package static func contentHash(_ bytes: [UInt8]) -> UInt128 {
        SipHash(key0: 0x696d_706f_7274, key1: 2).hash128(bytes)
    }
}
