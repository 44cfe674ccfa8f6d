import JSON
import Terminal
import ToDo

/// Takes back what this device did.
enum UndoCommand: Command {
    static let name = "undo"
    static let summary = "Revert an edit of this device, even after a sync"
    static let help = """
          tandem undo
          tandem undo --list
          tandem undo 3
          tandem redo

        Each further undo reverts one more edit. An undo syncs like any other edit. If
        somebody changed the same field later, the undo is refused. So is one that would
        pass over a purge, which cannot be undone, to an older edit.
        With alias undo='tandem undo' in the shell's own settings, such as ~/.bashrc,
        undo alone is enough.

        --list            list the edits that can be undone, with numbers for
                          `tandem undo 3`, which mean that list in this terminal
        --force           undo even where somebody changed the field later
        --limit N         list at most N edits (default 20)
        """
    static let values = ["limit"]
    static let flags = ["list", "force"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments, onlyReads: arguments.has("list"))
        if arguments.has("list") {
            try arguments.refuseWords()
            return try list(arguments, context)
        }
        let change: LocalChange
        if let word = arguments.words.first {
            change = try numbered(arguments.words, word, context)
        } else {
            change = try next(context)
        }
        return try undo(change, "Undone", arguments, context)
    }

    /// The commands for what stands behind no number of a to-do.
    static var advice: String {
        "`\(AdvisedLine.program) undo` takes back the latest change, whatever it was; `\(AdvisedLine.program) undo --list` lists the changes"
    }

    /// The refusal of `3 undo`: the numbers behind undo are those of changes; nil for any other line.
    static func refusal(behindNames typed: [String]) -> CommandFailure? {
        let words = ForeignOptions.parted(typed, values: ForeignOptions.valueNames).words
        guard words.count > 1, words.last == name || words.last == RedoCommand.name,
            words.dropLast().allSatisfy(ForeignLine.isName)
        else { return nil }
        return CommandFailure(
            .usage,
            "a change is not named by the number of a to-do: \(advice); to make a finished to-do pending again: "
                + "\(AdvisedLine.program) reopen \(words.dropLast().joined(separator: " "))")
    }

    private static func next(_ context: CommandContext) throws -> LocalChange {
        switch try context.todos.nextToUndo() {
        case .change(let change): return change
        case .nothing:
            throw CommandFailure(.nothing, "there is nothing to undo (that the journal keeps)")
        case .purge(let purge, before: nil):
            throw CommandFailure(
                .refused, "the last thing done here \(purge.predicate); nothing was undone")
        case .purge(let purge, before: let change?):
            throw CommandFailure(
                .refused,
                "the last thing done here \(purge.predicate), so nothing was undone; "
                    + "the change before it is '\(try summary(change, context))': "
                    + (try number(of: change, context).map { "\(AdvisedLine.program) undo \($0)" }
                        ?? "\(AdvisedLine.program) undo --list"))
        }
    }

    /// The number of a change in the list that this terminal was shown; where it was shown none, it is from now on.
    private static func number(of change: LocalChange, _ context: CommandContext) throws -> Int? {
        if let shown = try context.naming.shownChanges() { return shown.number(of: change) }
        let later = try context.todos.localChanges(downTo: change)
        return !later.isEmpty && context.naming.showChanges(later) ? later.count : nil
    }

    /// The change that a number means in the list that this terminal was shown, whatever was changed since.
    private static func numbered(
        _ words: [String], _ word: String, _ context: CommandContext
    ) throws -> LocalChange {
        guard words.count == 1 else {
            throw CommandFailure(
                .usage,
                "say one number of the list, or none for the last change: \(AdvisedLine.program) undo 3"
            )
        }
        // More digits than any list has lines.
        guard word.utf8.count <= 9, let number = Int(word), number > 0 else {
            throw CommandFailure(
                .usage,
                "'\(word.shownInLine)' is no number of the list; see: \(AdvisedLine.program) undo --list"
            )
        }
        switch try context.naming.change(numbered: number) {
        case .found(let change): return change
        case .noList: throw noChange(number, "no list of edits was shown here yet", .usage)
        case .outdated(shown: let shown):
            let time = DatePhrase.relative(.instant(shown), now: context.now, zone: context.zone)
            throw CommandFailure(
                .refused,
                "the list with that number was shown \(time), and edits were made since, so nothing was undone; "
                    + "see: \(AdvisedLine.program) undo --list")
        case .beyond(let count):
            throw noChange(
                number, "the list that was shown has \(EditMessages.count(count, "edit"))")
        case .forgotten: throw noChange(number, "the journal does not keep it any more")
        }
    }

    private static func noChange(
        _ number: Int, _ reason: String, _ code: ExitCode = .nothing
    ) -> CommandFailure {
        CommandFailure(
            code,
            "there is no edit \(number): \(reason); see: \(AdvisedLine.program) undo --list\n"
                + "to make a finished to-do pending again: \(AdvisedLine.program) reopen \(number)")
    }

    /// Takes a change back, and tells what came of it.
    ///
    /// - Parameter told: the change that is named instead, where one undo is taken back by another.
    static func undo(
        _ change: LocalChange, _ verb: String, telling told: LocalChange? = nil,
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        let words = try summary(told ?? change, context)
        let replaced = try UndoOutcomeWords.shown(told ?? change, context)
        let outcome = try context.todos.undo(
            change.timestamp, isForced: arguments.has("force"))
        switch outcome {
        case .undoneAlready:
            throw CommandFailure(
                .nothing, "that was undone already; see: \(AdvisedLine.program) undo --list")
        case .refused(let obstacles):
            let reasons = try obstacles.prefix(8).map { "  " + (try describe($0, context)) }
            let more = obstacles.count > 8 ? ["  and \(obstacles.count - 8) more"] : []
            let canForce = obstacles.allSatisfy(\.reason.yields)
            throw CommandFailure(
                .refused,
                (["'\(words)' was not undone:"] + reasons + more
                    + (canForce ? ["say --force to do it all the same"] : []))
                    .joined(separator: "\n"))
        case .done(let changed):
            if arguments.has("json") {
                let stored = try changed.compactMap { try context.todos.stored($0.id) }
                Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
            } else {
                let nothing = changed.isEmpty ? " (all was so already)" : ""
                let state = try UndoOutcomeWords.describe(
                    told ?? change, changed: changed, replacing: replaced, context)
                Screen.paragraph("\(verb): \(state)\(nothing)", hanging: 2)
                try tellUnmade(changed, of: change, context)
            }
            return .ok
        }
    }

    /// No more of what an undo takes along is named.
    private static let namedCountMax = 5

    /// Names what a change made beside what it was for, as the next occurrence, and what is in the trash now.
    private static func tellUnmade(
        _ changed: [RecordName], of change: LocalChange, _ context: CommandContext
    ) throws {
        let unmade = change.unmade(among: changed)
        for name in unmade.prefix(namedCountMax) {
            guard let stored = try context.todos.stored(name.id) else { continue }
            let title = stored.shownTitle
            Screen.line("  in the trash, as it was made by that: \(title)")
        }
        if unmade.count > namedCountMax {
            Screen.line("  and \(unmade.count - namedCountMax) more: \(AdvisedLine.program) trash")
        }
    }

    private static func describe(
        _ obstacle: UndoOutcome.Obstacle, _ context: CommandContext
    ) throws -> String {
        let title = try context.shownTitle(of: obstacle.record)
        let field = ToDoSchema.name(of: obstacle.field).shownInLine
        switch obstacle.reason {
        case .changedLater(let author, let time):
            let device = try context.todos.deviceName(author).shownInLine
            let when = DatePhrase.absolute(.instant(time.milliseconds), zone: context.zone)
            if try context.todos.isMadeElsewhere(obstacle) {
                return "'\(title)' was made on \(device) as well, \(when)"
            }
            let what =
                obstacle.field == .deleted
                ? " was deleted or restored" : ": \(field) was changed"
            return "'\(title)'\(what) later, on \(device), \(when)"
        case .inConflict:
            return
                "'\(title)': \(field) is in conflict; decide it: \(AdvisedLine.program) conflicts"
        case .deleted:
            if let view = try context.todos.savedView(of: obstacle.record) {
                let command = SavedViewWords.command(saving: view.savedWords, as: view.name)
                return "'\(title)' is removed; first: \(command.shownInLine)"
            }
            return
                "'\(title)' is in the trash; first: \(AdvisedLine.program) restore \(context.end(of: obstacle.record.id))"
        case .purged: return "a to-do was purged, and nothing is left of it"
        }
    }

    private static func list(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
        let limit = try Limit.read(arguments["limit"], standard: 20) ?? 10_000
        let changes = try context.todos.localChanges(
            limit: min(limit, ToDoNumbers.listedChangeCountMax))
        if arguments.has("json") {
            // At a terminal it is a program that reads, and a person who types numbers.
            if !context.naming.isTerminal { _ = context.naming.showChanges(changes) }
            Screen.line(JSONOutput.array(try changes.map { try json($0, context) }))
            return changes.isEmpty ? .nothing : .ok
        }
        if changes.isEmpty {
            Screen.line("Nothing to undo.")
            return .nothing
        }
        // Numbers that are not remembered would mean others.
        let hasNumbers = context.naming.showChanges(changes)
        if !hasNumbers {
            Screen.error("tandem: the numbers of the list cannot be kept now, so it has none\n")
        }
        let width = String(changes.count).count
        for (index, change) in changes.enumerated() {
            let time = DatePhrase.relative(
                .instant(change.timestamp.milliseconds), now: context.now, zone: context.zone)
            let state =
                change.undoneBy != nil ? "undone  " : change.undoes != nil ? "an undo  " : ""
            let label =
                "\(Cells.right(hasNumbers ? "\(index + 1)" : "", to: width))  \(Cells.padded(time, to: 14))  "
            let room = (Screen.width ?? .max) - Cells.count(label)
            // Behind the title stands what was done: where there is no room for both, that is on a line of its own.
            let text = state + (try summary(change, context))
            Screen.paragraph(
                room < narrowCellCount ? text : Cells.cut(text, to: room), label: label,
                hanging: room < narrowCellCount ? 4 : Cells.count(label),
                style: change.undoneBy != nil ? Screen.faint : { $0 })
        }
        return .ok
    }

    /// The cells below which an edit in the list is wrapped and not cut.
    private static let narrowCellCount = 40

    /// A change in a few words.
    static func summary(_ change: LocalChange, _ context: CommandContext) throws -> String {
        try context.journalWords.summary(change)
    }

    private static func json(_ change: LocalChange, _ context: CommandContext) throws -> JSONValue {
        let entries = try change.entries.map { try JournalOutput.json($0, context) }
        return JSONOutput.object([
            ("time", JSONOutput.text(TimestampText.rfc3339(change.timestamp.milliseconds))),
            ("summary", JSONOutput.text(try summary(change, context))),
            ("undone", .bool(change.undoneBy != nil)),
            ("undo", .bool(change.undoes != nil)),
            ("entries", .array(entries)),
        ])
    }
}
