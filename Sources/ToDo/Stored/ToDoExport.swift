import Core
import JSON
import Storage

/// To-dos to be written in some format.
package struct ToDoExport: Sendable {
    /// The to-dos.
    package let items: [ToDoItem]
    /// The values of their records that no to-do of this version shows.
    package let losses: [FormatLoss]
}

/// Exports of what a filter takes, and of everything.
extension ToDoStore {
    /// All live to-dos that a filter takes, by id: the same bytes on every device that is in sync.
    package func export(_ filter: ToDoFilter) throws(StoreFault) -> ToDoExport {
        let filter = try resolved(filter)
        let compiled = ToDoPredicate(filter, now: now, zone: zone)
        var items: [ToDoItem] = []
        var losses: [FormatLoss] = []
        let found = try store.fetch(
            FetchRequest(ToDoSchema.collection, where: compiled.predicate))
        for (stored, item) in zip(found, try self.items(found)) {
            guard compiled.isExact || filter.matches(item, now: now, zone: zone) else { continue }
            items.append(item)
            losses += ToDoMapping.losses(stored, entry: items.count)
        }
        return ToDoExport(items: items, losses: losses)
    }

    /// All that the store knows of to-dos, as JSON lines: those alive, those in the trash, what was written to
    /// purged ones, and to purged views, while apart from the purge, conflicts with every value, and the journal; as of one moment.
    ///
    /// References are as they were assigned, also to what is in the trash and in a circle, so that a store made from it shows the
    /// same. Fields that only a newer version understands are left out and told.
    package func exportAll() throws(StoreFault) -> FormatWriting {
        // In one transaction, so that the parts fit together.
        try store.rehearse { _ throws(StoreFault) in
            var writer = JSONWriter()
            var losses: [FormatLoss] = []
            var conflicts: [JSONValue] = []
            let all = try store.fetch(FetchRequest(ToDoSchema.collection, scope: .all))
            for (index, stored) in all.enumerated() where stored.standing != .purged {
                let isPurged = stored.standing == .editedAfterPurge
                writer.append(isPurged ? try keptLine(stored) : try line(stored))
                writer.append(raw: "\n")
                losses += ToDoMapping.losses(stored, entry: index + 1)
                let id = isPurged ? stored.copyID : stored.id
                let listed = isPurged ? stored.record.heldValues : stored.record
                for conflict in listed.fieldConflicts {
                    conflicts.append(
                        try BackupLine.conflict(conflict, of: id, device: deviceName))
                }
                if stored.verdict.isContested {
                    conflicts.append(
                        BackupLine.contest(of: stored.id, isDeleted: stored.verdict.isDeleted))
                }
            }
            conflicts += try keptViewLines()
            for conflict in conflicts {
                writer.append(conflict)
                writer.append(raw: "\n")
            }
            for entry in try store.journal.entries(after: 0) {
                writer.append(BackupLine.change(entry, device: try deviceName(entry.author)))
                writer.append(raw: "\n")
            }
            return FormatWriting(writer.bytes, losses: losses)
        }
    }

    /// The values that are kept of purged views, a line for each field.
    private func keptViewLines() throws(StoreFault) -> [JSONValue] {
        var lines: [JSONValue] = []
        let names = Dictionary(
            try viewConflicts().map { ($0.conflict.id, $0.name) }, uniquingKeysWith: { $1 })
        for stored in try store.fetch(FetchRequest(ToDoSchema.views, scope: .conflicted))
        where stored.standing == .editedAfterPurge {
            let kept = stored.record.heldValues
            for field in kept.fields {
                lines.append(
                    try BackupLine.viewEditedAfterPurge(
                        FieldConflict(field: field, candidates: kept.candidates(of: field)),
                        of: stored.id, named: names[stored.id] ?? nil, device: deviceName))
            }
        }
        return lines
    }

    private func line(_ stored: Record) throws(StoreFault) -> JSONValue {
        let item = ToDoMapping.item(stored)
        guard stored.verdict.isDeleted else { return .object(JSONLinesFormat.members(item)) }
        let deletion = try deletion(of: stored)
        return BackupLine.deleted(item, device: deletion?.device, time: deletion?.time)
    }

    /// The kept values of a purged to-do, under the id that its copy has on every device.
    private func keptLine(_ stored: Record) throws(StoreFault) -> JSONValue {
        let kept = stored.record.heldValues
        var values: [Field: Value] = [:]
        kept.forEachVisible { values[$0] = $1 }
        var item = ToDoMapping.item(stored.showing(values))
        item.identifier = stored.copyID.value
        guard let last = kept.writes.max(by: { $1.isShown(over: $0) }) else {
            return .object(JSONLinesFormat.members(item))
        }
        return BackupLine.editedAfterPurge(
            item, purged: stored.id, device: try deviceName(last.dot.replica),
            time: last.timestamp.milliseconds)
    }
}
