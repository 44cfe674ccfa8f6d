import Core
import JSON
import Storage

/// The effect of an import on one entry of a file.
package struct ImportStep: Sendable {
    /// Made, updated, left as it was, left in the trash, or left purged.
    package let outcome: UpsertOutcome
    /// The title, as the file says it.
    package let title: String
    /// The changes of an updated to-do; known of a rehearsal alone.
    package var changes: [ItemDifference]
    /// The fields that said something else here, which the file's value replaces.
    package let replaced: [String]
    /// The fields whose open conflict the file's value ends; known of a rehearsal alone.
    package var decided: [String] = []
    /// The fields that stay although the file's table leaves them empty: an import clears nothing.
    package var kept: [String]
    /// Whether the file says that it was in the trash: it is made there; if it is here, it is left as it
    /// is, alive or not.
    package let isTrash: Bool

    /// The effect on one entry.
    package init(
        outcome: UpsertOutcome, title: String, changes: [ItemDifference] = [],
        replaced: [String] = [], kept: [String] = [], isTrash: Bool = false
    ) {
        self.outcome = outcome
        self.title = title
        self.changes = changes
        self.replaced = replaced
        self.kept = kept
        self.isTrash = isTrash
    }

    /// The to-do.
    package var id: RecordID { outcome.id }

    /// The same with the beginnings of long texts, for a list of very many.
    fileprivate var shortened: ImportStep {
        var short = ImportStep(
            outcome: outcome, title: FormatLoss.beginning(of: title),
            changes: changes.prefix(FormatLimits.listedFieldCountMax).map(\.shortened),
            replaced: Array(replaced.prefix(FormatLimits.listedFieldCountMax)),
            kept: Array(kept.prefix(FormatLimits.listedFieldCountMax)), isTrash: isTrash)
        short.decided = Array(decided.prefix(FormatLimits.listedFieldCountMax))
        return short
    }
}

/// Takes the steps of an import as they are made.
private protocol ImportSteps {
    mutating func add(_ step: ImportStep)
}

/// The steps of an import by what became of them.
package struct ImportSummary: Sendable, ImportSteps {
    /// How many there are.
    package private(set) var stepCount = 0
    /// How many to-dos were made.
    package private(set) var madeCount = 0
    /// How many were changed.
    package private(set) var updatedCount = 0
    /// How many were as the file says.
    package private(set) var unchangedCount = 0
    /// How many were made in the trash.
    package private(set) var madeInTrashCount = 0
    /// The to-dos that stay in the trash here.
    package private(set) var leftInTrash: [ImportStep] = []
    /// The to-dos that were purged here and were not made anew.
    package private(set) var leftPurged: [ImportStep] = []
    /// The to-dos that are in the trash by the file, and alive here.
    package private(set) var leftAlive: [ImportStep] = []
    /// How many fields said something else here before.
    package private(set) var replacedCount = 0
    /// How many to-dos have such fields.
    package private(set) var replacedItemCount = 0

    /// How many to-dos of the file are here now, in the trash if the file has them there.
    package var takenCount: Int {
        madeCount + updatedCount + unchangedCount + madeInTrashCount + leftAlive.count
    }

    /// Sorts the steps.
    package init(_ steps: [ImportStep] = []) {
        for step in steps { add(step) }
    }

    /// Counts one more step.
    package mutating func add(_ step: ImportStep) {
        stepCount += 1
        replacedCount += step.replaced.count
        if !step.replaced.isEmpty { replacedItemCount += 1 }
        switch step.outcome {
        case .inserted where step.isTrash: madeInTrashCount += 1
        case .unchanged where step.isTrash: leftAlive.append(step)
        case .skippedDeleted where step.isTrash, .skippedPurged where step.isTrash:
            unchangedCount += 1
        case .inserted: madeCount += 1
        case .updated: updatedCount += 1
        case .unchanged: unchangedCount += 1
        case .skippedDeleted: leftInTrash.append(step)
        case .skippedPurged: leftPurged.append(step)
        }
    }
}

/// What an import would do, as a rehearsal tells it.
package struct ImportPlan: Sendable, ImportSteps {
    /// The steps by what would become of them.
    package private(set) var summary = ImportSummary()
    /// The first steps that are not as the file says already, at most ``FormatLimits/listedStepCountMax``.
    package private(set) var steps: [ImportStep] = []
    /// How many such steps there are besides.
    package private(set) var unlistedStepCount = 0

    fileprivate mutating func add(_ step: ImportStep) {
        summary.add(step)
        switch step.outcome {
        case .unchanged where step.kept.isEmpty && !step.isTrash: return
        case .skippedDeleted where step.isTrash, .skippedPurged where step.isTrash: return
        default: break
        }
        if steps.count < FormatLimits.listedStepCountMax {
            steps.append(step.shortened)
        } else {
            unlistedStepCount += 1
        }
    }
}

/// A file that is read piece by piece, as a first reading finds it: all but its to-dos.
package struct FileSurvey: Sendable {
    /// The faults, losses and values beside shown ones; without to-dos.
    package private(set) var reading = FormatReading()

    /// Nothing was read yet.
    package init() {}

    /// How many to-dos were read.
    package private(set) var itemCount = 0

    /// How many bad entries there are.
    package var faultCount: Int { reading.faults.count + reading.unlistedFaultCount }

    /// Takes note of a page.
    package mutating func add(_ page: FormatReading) {
        itemCount += page.items.count + page.trash.count
        reading.besides += page.besides
        reading.columns.formUnion(page.columns)
        reading.ownColumns += page.ownColumns
        reading.columnNames += page.columnNames
        reading.unlistedFaultCount += Self.list(page.faults, in: &reading.faults)
        reading.unlistedLossCount += Self.list(page.losses.map(\.shortened), in: &reading.losses)
        reading.unlistedRemarkCount += Self.list(
            page.remarks.map(\.shortened), in: &reading.remarks)
    }

    /// Adds what fits to a list; how many do not.
    private static func list<Entry>(_ entries: [Entry], in listed: inout [Entry]) -> Int {
        let room = FormatLimits.listedFaultCountMax - listed.count
        listed += entries.prefix(room)
        return max(0, entries.count - room)
    }
}

/// A value of a field in conflict that was not the shown one.
package struct BesideValue: Hashable, Sendable {
    /// The to-do.
    package let item: UInt128
    /// The field, by its name in our own export; `x.NAME` for one of the user's own.
    package let field: String
    /// The value; nil for a field that was cleared.
    package let value: CustomValue?
    /// The name of the device that gave it.
    package let device: String
    /// When, by that device's clock; milliseconds since 1970.
    package let time: Int64

    /// The most characters of a device's and a field's name that are taken over.
    private static let nameCountMax = 40

    /// The custom field that keeps it where the conflict itself cannot be made again.
    package var customName: String {
        "conflict \(field.prefix(Self.nameCountMax)) (\(device.prefix(Self.nameCountMax)), "
            + "\(TimestampText.rfc3339(time)))"
    }
}

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
