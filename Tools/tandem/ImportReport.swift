import JSON
import Terminal
import ToDo

/// The results for the entries of a file, or the planned ones.
struct ImportReport {
    private let steps: [ImportStep]
    /// How many steps there are besides those.
    private let unlistedStepCount: Int
    private let reading: FormatReading
    private let summary: ImportSummary
    /// The file, for the user.
    private let source: String

    /// The most titles that are named of those left in the trash or purged.
    private static let titleCountMax = 5

    /// - Parameters:
    ///   - steps: the planned ones; none of an import that was done.
    ///   - unlistedStepCount: how many are planned besides, of a long file.
    init(
        _ summary: ImportSummary, _ reading: FormatReading, of source: String,
        _ steps: [ImportStep] = [], unlistedStepCount: Int = 0
    ) {
        self.unlistedStepCount = unlistedStepCount
        self.summary = summary
        self.reading = reading
        self.source = source
        self.steps = steps
    }

    private var faultCount: Int { reading.faults.count + reading.unlistedFaultCount }

    /// Whether nothing, a part or all of the file is here now.
    var code: ExitCode {
        if summary.takenCount == 0 { return .nothing }
        let isWhole =
            faultCount == 0 && summary.leftInTrash.isEmpty && summary.leftPurged.isEmpty
        return isWhole ? .ok : .incomplete
    }

    /// Whether the file has no entry, good or bad.
    private var hasNoEntries: Bool { summary.stepCount == 0 && faultCount == 0 }

    /// Everything; of a rehearsal also every single to-do.
    func json(isDryRun: Bool) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("made", .number(summary.madeCount)), ("updated", .number(summary.updatedCount)),
            ("unchanged", .number(summary.unchangedCount)),
            ("deleted", .number(summary.leftInTrash.count)),
            ("deletedIDs", .texts(summary.leftInTrash.map(\.id.uuidText))),
            ("purged", .number(summary.leftPurged.count)),
            ("purgedIDs", .texts(summary.leftPurged.map(\.id.uuidText))),
            ("madeDeleted", .number(summary.madeInTrashCount)),
            ("replaced", .number(summary.replacedCount)),
            ("leftAlive", .texts(summary.leftAlive.map(\.id.uuidText))),
            ("losses", .array(reading.losses.map { LossOutput.json($0) })),
            ("remarks", .array(reading.remarks.map { LossOutput.json($0) })),
            ("bad", .array(reading.faults.map { LossOutput.json($0) })),
        ]
        if isDryRun {
            members.insert(("dryRun", .bool(true)), at: 0)
            let columns = reading.columnNames.map {
                JSONOutput.object([
                    ("column", JSONOutput.text($0.file)), ("field", JSONOutput.text($0.here)),
                ])
            }
            members.append(("columns", .array(columns)))
            members.append(("todos", .array(steps.map { Self.json($0) })))
            let unlisted = [
                ("todos", unlistedStepCount), ("losses", reading.unlistedLossCount),
                ("remarks", reading.unlistedRemarkCount), ("bad", reading.unlistedFaultCount),
            ]
            members.append(
                ("unlisted", JSONOutput.object(unlisted.map { ($0, .number($1)) })))
        }
        return JSONOutput.object(members)
    }

    private static func json(_ step: ImportStep) -> JSONValue {
        let changes = step.changes.map { change in
            JSONOutput.object([
                ("field", JSONOutput.text(change.field)),
                ("before", JSONOutput.text(change.before)),
                ("after", JSONOutput.text(change.after)),
            ])
        }
        return JSONOutput.object([
            ("id", JSONOutput.text(step.id.uuidText)), ("title", JSONOutput.text(step.title)),
            ("outcome", JSONOutput.text(word(step.outcome))),
            ("inTrash", .bool(step.isTrash)),
            ("changes", .array(changes)), ("kept", .texts(step.kept)),
            ("replaced", .texts(step.replaced)), ("decided", .texts(step.decided)),
        ])
    }

    private static func word(_ outcome: UpsertOutcome) -> String {
        switch outcome {
        case .inserted: "made"
        case .updated: "updated"
        case .unchanged: "unchanged"
        case .skippedDeleted: "deleted"
        case .skippedPurged: "purged"
        }
    }

    private var counts: String {
        "\(EditMessages.count(summary.stepCount)): \(summary.madeCount) new, \(summary.updatedCount) updated, \(summary.unchangedCount) as they were"
            + (summary.madeInTrashCount > 0
                ? ", \(summary.madeInTrashCount) made in the trash" : "")
            + (summary.leftAlive.isEmpty
                ? ""
                : ", \(summary.leftAlive.count) deleted in the file but alive here, left alive")
    }

    /// Writes the results.
    func tell(_ context: CommandContext) throws {
        if hasNoEntries { return Screen.line("\(source) has no to-dos: nothing was imported") }
        Screen.line("Imported \(counts)")
        tellReplaced()
        if !summary.leftInTrash.isEmpty {
            Screen.line(
                "  \(summary.leftInTrash.count) left in the trash (--revive brings them back):")
            for step in summary.leftInTrash.prefix(Self.titleCountMax) {
                let stored = try context.todos.stored(step.id)
                let title = stored.map { $0.shownTitle } ?? ""
                Screen.line("    \(context.end(of: step.id))  \(title)")
            }
            if summary.leftInTrash.count > Self.titleCountMax {
                Screen.line("    and more: \(AdvisedLine.program) trash")
            }
        }
        if !summary.leftPurged.isEmpty {
            Screen.line(
                "  \(summary.leftPurged.count) purged here, left out (--revive makes new ones):")
            // Of a purged to-do only the file has the title.
            for step in summary.leftPurged.prefix(Self.titleCountMax) {
                Screen.line("    \(context.end(of: step.id))  \(step.title.shownTitle)")
            }
            if summary.leftPurged.count > Self.titleCountMax { Screen.line("    and more") }
        }
        tellColumns()
        if !reading.faults.isEmpty {
            Screen.line("  \(faultCount) bad, left out:")
            for line in LossOutput.lines(
                reading.faults, limit: LossOutput.namedFaultCountMax, count: faultCount)
            {
                Screen.paragraph("  " + line, hanging: 6)
            }
        }
    }

    /// Which columns nobody may have meant as fields of their own.
    private func tellColumns() {
        if reading.ownColumns.isEmpty { return }
        let names = reading.ownColumns.prefix(Self.titleCountMax).map { "x.\($0.shownInLine)" }
        let more = reading.ownColumns.count > names.count ? " and more" : ""
        Screen.paragraph(
            "unknown columns, kept as fields of your own: \(names.joined(separator: ", "))\(more); "
                + "--map '\(FormatLoss.beginning(of: reading.ownColumns[0]).shownInLine)=FIELD' says what one is",
            label: "  ", hanging: 4)
    }

    /// The most columns that are shown of a table.
    private static let columnCountMax = 50

    /// Writes the names that the columns of a table have here.
    private func tellMap() {
        if reading.columnNames.isEmpty { return }
        let names = reading.columnNames.prefix(Self.columnCountMax).map { name in
            let (file, here) = (
                FormatLoss.beginning(of: name.file).shownInLine, name.here.shownInLine
            )
            return file == here ? file : "\(file) is \(FormatLoss.beginning(of: here))"
        }
        let more = reading.columnNames.count > names.count ? ", …" : ""
        Screen.paragraph(
            "columns: \(names.joined(separator: ", "))\(more)", label: "  ", hanging: 4)
    }

    /// Returns the change of a field; if it has a value here, both values.
    private func words(_ change: ItemDifference, of step: ImportStep) -> String {
        let field = change.field.shownInLine
        let isDecided = step.decided.contains(change.field) ? " (ends a conflict)" : ""
        if change.before.isEmpty { return "\(field) \(change.reason.shownInLine)\(isDecided)" }
        let quoted = change.quoted
        let there = change.after.isEmpty ? "nothing" : quoted.after.shownInLine
        return "\(field): here \(quoted.before.shownInLine), in the file \(there)\(isDecided)"
    }

    /// Writes the values that the file replaced, and the command to restore them.
    private func tellReplaced() {
        if summary.replacedCount == 0 { return }
        let todos = summary.replacedItemCount
        Screen.line(
            "  \(EditMessages.count(summary.replacedCount, "field")) of \(EditMessages.count(todos)) said something else here, and "
                + "now what the file says; the import is taken back by: \(AdvisedLine.program) undo"
        )
    }

    /// Writes the full plan of an import.
    func tellPlan(isRefused: Bool) {
        let purged = summary.leftPurged.count
        if hasNoEntries { Screen.line("\(source) has no to-dos") }
        Screen.line(
            "Would import \(counts), \(summary.leftInTrash.count) left in the trash"
                + (purged > 0 ? ", \(purged) purged here and left out" : ""))
        tellMap()
        for step in steps {
            let title = step.title.shownTitle
            switch step.outcome {
            case .inserted where step.isTrash: Screen.line("  trash   \(title) (made there)")
            case .unchanged where step.isTrash:
                Screen.line("  alive   \(title) (deleted in the file, left alive)")
            case .skippedDeleted where step.isTrash, .skippedPurged where step.isTrash: continue
            case .inserted: Screen.line("  new     \(title)")
            case .updated:
                let changes = step.changes.map { words($0, of: step) }
                Screen.line("  update  \(title): \(changes.joined(separator: "; "))")
            case .unchanged: break
            case .skippedDeleted: Screen.line("  trash   \(title)")
            case .skippedPurged: Screen.line("  purged  \(title)")
            }
            if !step.kept.isEmpty {
                let fields = step.kept.map(\.shownInLine).joined(separator: ", ")
                Screen.line(
                    "  keeps   \(title): \(fields); the file says less, and clears nothing")
            }
        }
        if unlistedStepCount > 0 { Screen.line("  and \(unlistedStepCount) more") }
        tellColumns()
        LossOutput.write(reading.losses, unlistedCount: reading.unlistedLossCount)
        LossOutput.write(
            reading.remarks, heading: "Kept otherwise", unlistedCount: reading.unlistedRemarkCount)
        if reading.faults.isEmpty { return }
        Screen.line(
            !isRefused
                ? "Bad, left out: \(faultCount)"
                : "Bad, so that nothing would be imported"
                    + (summary.stepCount == 0 ? "" : " without --partial") + ": \(faultCount)")
        for line in LossOutput.lines(reading.faults, limit: nil, count: faultCount) {
            Screen.line(line)
        }
    }
}
