import Core
import JSON
import Storage

/// A whole export.
extension ToDoStore {
    /// All that the store knows of to-dos, as JSON lines: those alive, those in the trash, conflicts with
    /// every value, and the journal; as of one moment.
    ///
    /// Fields that only a newer version understands are left out and told.
    package func exportAll() throws(StoreFault) -> FormatWriting {
        // In one transaction, so that the parts fit together.
        try store.rehearse { _ throws(StoreFault) in
            var writer = JSONWriter()
            var losses: [FormatLoss] = []
            var conflicts: [JSONValue] = []
            let all = try store.fetch(FetchRequest(ToDoSchema.collection, scope: .all))
            for (index, stored) in all.enumerated() where !stored.verdict.isPurged {
                writer.append(try line(stored))
                writer.append(raw: "\n")
                losses += Self.losses(stored, entry: index + 1)
                for conflict in stored.record.fieldConflicts {
                    conflicts.append(
                        try BackupLine.conflict(conflict, of: stored.id, device: deviceName))
                }
                if stored.verdict.isContested {
                    conflicts.append(
                        BackupLine.contest(of: stored.id, isDeleted: stored.verdict.isDeleted))
                }
            }
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

    private func line(_ stored: Record) throws(StoreFault) -> JSONValue {
        let item = ToDoMapping.item(stored)
        guard stored.verdict.isDeleted else { return .object(JSONLinesFormat.members(item)) }
        let deletion = try deletion(of: stored)
        return BackupLine.deleted(item, device: deletion?.device, time: deletion?.time)
    }

    /// The fields of a newer version.
    private static func losses(_ stored: Record, entry: Int) -> [FormatLoss] {
        stored.record.fields.compactMap { field in
            guard field > .purged, let value = stored.record.visible(field) else { return nil }
            let isKnown: Bool
            switch (field, value) {
            case (_, .unknown): isKnown = false
            case (.number(let number), _), (.element(.number(let number), _), _):
                isKnown = ToDoSchema.names.contains { $0.number == number }
            case (.text, _): isKnown = true
            case (.element(.text, _), _): isKnown = false
            }
            if isKnown { return nil }
            return FormatLoss(
                entry: entry, title: ToDoMapping.item(stored).title,
                field: BackupLine.name(field), CommonReason.newerVersion)
        }
    }
}
