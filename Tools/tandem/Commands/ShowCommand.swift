import Devices
import JSON
import Terminal
import ToDo

/// Shows all of a to-do.
enum ShowCommand: Command {
    static let name = "show"
    static let summary = "Show everything about a to-do, with its conflicts"
    static let help = """
          tandem show 3
          tandem show oat milk
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        if arguments.words.isEmpty {
            throw CommandFailure(
                .usage,
                "say which to-do, for example: \(AdvisedLine.program) show 1\nfor the settings, run: \(AdvisedLine.program) config"
            )
        }
        let context = try CommandContext.openToRead(arguments)
        let found = try find(arguments.words, context)
        context.device.recentRecords.touch(found.map(\.id), at: context.now)
        for (index, stored) in found.enumerated() {
            let conflicts = try context.todos.conflicts(of: stored.id)
            if arguments.has("json") {
                let list = conflicts.map { ConflictOutput.json($0) }
                Screen.line(
                    try JSONOutput.item(
                        stored, context.todos,
                        extra: (list.isEmpty ? [] : [("conflicts", .array(list))])
                            + hidden(try context.todos.hiddenReferences(of: stored))))
                continue
            }
            if index > 0 { Screen.line("") }
            try show(stored, conflicts, context)
        }
        return .ok
    }

    /// The to-dos that words name; a word such as `report.list.filter` may be a setting of another program.
    private static func find(_ words: [String], _ context: CommandContext) throws -> [Record] {
        do {
            return try context.findAll(words)
        } catch let fault as ToDoNameFault {
            guard case .nothing(let text) = fault, words.count == 1, text.contains("."),
                text.allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) })
            else { throw fault }
            let failure = CommandFailure(fault)
            throw CommandFailure(
                failure.code,
                "\(failure.message); for the settings, run: \(AdvisedLine.program) config")
        }
    }

    private static func part(_ stored: Record) -> String {
        let item = ToDoMapping.item(stored)
        return (item.status == .pending ? "[ ] " : "[x] ") + item.shownTitle
    }

    /// Returns the changes of the previous occurrence that this one lacks.
    private static func missed(_ stored: Record, _ context: CommandContext) throws -> String {
        let changes = try context.todos.missedChanges(of: stored).map { change in
            let name = ToDoSchema.name(of: Field(change.field.name)).shownInLine
            if case .element(let set, let element) = change.field {
                let text = context.journalWords.words(of: element, in: set)
                return "\(name) \(change.value.isNull ? "without" : "with") \(text)"
            }
            if change.value.isNull { return "no \(name)" }
            let text = context.journalWords.words(of: change.value, in: change.field.name)
            return "\(name) '\(Cells.cut(text, to: 60))'"
        }
        if changes.isEmpty { return "" }
        return "the one before this has been changed, and this one has not: "
            + changes.joined(separator: ", ") + "; what is to be here as well, write here: "
            + "\(AdvisedLine.program) edit \(context.end(of: stored.id))"
    }

    /// Returns references that do not count: those that close a circle, with the to-dos that lead back, and those to
    /// deleted ones.
    private static func hidden(
        _ references: [HiddenReference]
    ) -> [(String, JSONValue)] {
        func list(_ found: [HiddenReference]) -> JSONValue {
            .array(
                found.map { reference in
                    JSONOutput.object(
                        [
                            ("field", JSONOutput.text(reference.kind.rawValue)),
                            ("id", JSONOutput.text(reference.target.id.uuidText)),
                            reference.isToDeleted
                                ? ("standing", JSONOutput.text(reference.target.standing.word))
                                : (
                                    "way",
                                    .array(
                                        reference.way.map { JSONOutput.text($0.id.uuidText) })
                                ),
                        ])
                })
        }
        let circles = references.filter { !$0.isToDeleted }
        let deleted = references.filter(\.isToDeleted)
        return (circles.isEmpty ? [] : [("closesCircle", list(circles))])
            + (deleted.isEmpty ? [] : [("leadsToDeleted", list(deleted))])
    }

    /// Returns what a reference says that does not count, why, and what drops it.
    private static func words(
        _ reference: HiddenReference, of stored: Record, _ context: CommandContext
    ) -> String {
        let isParent = reference.kind == .parent
        let name = context.name(of: stored)
        let verb = isParent ? "is part of" : "waits for"
        let command =
            isParent
            ? "\(AdvisedLine.program) edit \(name) parent:"
            : "\(AdvisedLine.program) edit \(name) depends-:\(context.name(of: reference.target))"
        let given =
            "'\(reference.kind.rawValue): \(reference.target.shownTitle)' was given and does "
        if reference.isToDeleted {
            let standing = reference.target.standing
            let back =
                standing == .trashed
                ? "; to have it back: \(AdvisedLine.program) restore \(context.end(of: reference.target.id))"
                : ""
            return given
                + "not count, as that one \(standing.predicate)\(back); to drop it: \(command)"
        }
        let way =
            reference.way.map(\.shownTitle).joined(separator: " \(verb) ")
            + " \(verb) this one"
        return given + "not count, as it closes a circle: \(way); to drop it: \(command)"
    }

    private static func show(
        _ stored: Record, _ conflicts: [ToDoConflict], _ context: CommandContext
    ) throws {
        let item = try context.todos.item(stored)
        Screen.paragraph(stored.shownTitle, hanging: 0, style: Screen.bold)
        func field(_ name: String, _ text: String) {
            guard !text.isEmpty else { return }
            let padding = String(repeating: " ", count: max(11 - name.count, 1))
            Screen.paragraph(text.shown, label: "  \(name)\(padding)", hanging: 13)
        }
        if stored.verdict.isDeleted, let deletion = try context.todos.deletion(of: stored) {
            let time = DatePhrase.absolute(.instant(deletion.time), zone: context.zone)
            let name = stored.standing.isPurged ? "purged" : "deleted"
            field(name, "\(time) on \(deletion.device); it \(stored.standing.predicate)")
        }
        // Of a purged one no status is left.
        field("status", stored.standing.isPurged ? "purged" : item.status.rawValue)
        field("project", item.project)
        field("priority", item.priority == .none ? "" : item.priority.word)
        for date in ToDoDateField.allCases {
            field(
                date.rawValue,
                item[date].map { DatePhrase.describe($0, now: context.now, zone: context.zone) }
                    ?? "")
        }
        field("repeat", item.repeatsShown(in: context.zone))
        field(
            "remind",
            item.reminders.map { ReminderWords.describe($0, zone: context.zone) }
                .joined(separator: ", "))
        if let parent = item.parent {
            let above = try context.todos.stored(RecordID(value: parent))
            field("part of", above.map { $0.shownTitle } ?? "")
        }
        let parts = try context.todos.list(
            ToDoFilter([.parent(stored.id.value)]), pendingOnly: false)
        field("parts", parts.map { part($0) }.joined(separator: "\n"))
        let depends = try context.todos.dependencies(of: stored)
        field("waits for", depends.map { part($0) }.joined(separator: "\n"))
        let blocks = try context.todos.waiting(of: [stored])[stored.id]?.blocks ?? []
        field("blocks", blocks.map { part($0) }.joined(separator: "\n"))
        for reference in try context.todos.hiddenReferences(of: stored) {
            field(
                reference.isToDeleted ? reference.kind.rawValue : "circle",
                words(reference, of: stored, context))
        }
        let worked = WorkInterval.milliseconds(item.work, within: 0..<Int64.max, now: context.now)
        if !item.work.isEmpty {
            field("worked", WorkInterval.clock(worked) + (item.isInProcess ? ", and running" : ""))
        }
        field("tags", item.tags.joined(separator: ", "))
        field("people", item.people.joined(separator: ", "))
        field("location", item.location)
        field("notes", item.notes)
        for (name, value) in item.custom.sorted(by: { $0.key < $1.key }) {
            field("x.\(name.shownInLine)", value.displayText)
        }
        for (name, time) in [
            ("completed", item.completed), ("created", item.created), ("modified", item.modified),
        ] {
            field(name, time.map { DatePhrase.absolute(.instant($0), zone: context.zone) } ?? "")
        }
        field("before", try missed(stored, context))
        field("id", stored.id.uuidText)
        for conflict in conflicts {
            ConflictOutput.write(conflict, named: context.name(of: stored), context)
        }
    }
}
