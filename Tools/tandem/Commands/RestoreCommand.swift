import Devices
import Terminal
import ToDo

/// Brings to-dos back from the trash, or to what they were.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "Restore to-dos from the trash, a past time or a backup"
    static let help = """
          tandem trash
          tandem restore 2
          tandem restore 2 --as-of "yesterday 17:00"
          tandem restore 1-3 --as-of 9:30 --field notes
          tandem restore --from ~/backups/todos-2026-11-21 --verify
          tandem restore --from latest project:Home

        Without options, a to-do returns from the trash. --as-of sets the values that
        this device showed at that time; `tandem history 2` lists them.

        --from restores deleted to-dos and changed fields from a backup or a snapshot;
        words limit it to to-dos that match. To-dos created since then stay. Everything
        that is restored is a new edit and syncs. The copy is checked first and never
        changed. A snapshot is made before many to-dos are deleted (tandem help sync)
        and before `doctor --fix`.
        If the store is damaged, try `tandem doctor --fix` first, which also keeps its
        readable part. restore --from renames the damaged store after a question and
        puts the copy in its place; the device continues as a new one, and a sync
        fetches what is newer. If there is no store, as on a new machine, move a copy of
        the backup's folder to its place instead.

        --from COPY       a folder or file, `latest`, or the number of a snapshot
        --list            list the snapshots
        --verify          check the copy and show the differences; change nothing
        --exact           move to-dos that are not in the copy to the trash
        --as-of TIME      9:30, "yesterday 17:00", "2 days ago"
        --field NAME      restore this field only
        --dry-run         show what would change, and change nothing
        """
    static let values = ["as-of", "field", "from"]
    static let flags = ["dry-run", "verify", "exact", "list"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        if arguments.has("list") { return try CopyRestoring.list(arguments) }
        if let copy = arguments["from"] {
            if arguments["as-of"] != nil || arguments["field"] != nil {
                throw CommandFailure(.usage, "--from goes without --as-of and --field")
            }
            return try restore(from: copy, arguments)
        }
        if let flag = ["verify", "exact"].first(where: { arguments.has($0) }) {
            throw CommandFailure(.usage, "--\(flag) needs --from COPY")
        }
        if arguments.words == ["latest"] {
            throw CommandFailure(
                .usage,
                "a snapshot is named behind --from: \(AdvisedLine.program) restore --from latest")
        }
        let context = try CommandContext.open(
            arguments, onlyReads: arguments.has("dry-run"))
        // A state of earlier can be set again in the trash or out of it.
        let found = try context.findUnpurged(
            arguments.words, in: arguments["as-of"] == nil ? .trash : .trashFirst)
        if let time = try time(arguments, context) {
            return try restore(found, to: time, arguments, context)
        }
        if arguments["field"] != nil {
            throw CommandFailure(.usage, "--field needs --as-of TIME")
        }
        if arguments.has("dry-run") {
            for stored in found {
                let words = stored.standing == .live ? "Is not deleted" : "Would restore"
                Screen.line("\(words): \(stored.shownTitle)")
            }
            return .ok
        }
        let restored = try context.todos.restore(found.map(\.id))
        try report(found, arguments, context) {
            restored.contains($0.id) ? "Restored" : "Was not deleted"
        }
        return .ok
    }

    private static func restore(from copy: String, _ arguments: Arguments) throws -> ExitCode {
        let damaged = try DamagedStore(arguments)
        let opening: RestoreOpening
        do {
            opening = try damaged.folder.openForRestore(
                schema: ToDoSchema.collections, opened: CommandContext.tellSuspicion)
        } catch let fault as StoreFault {
            switch fault {
            case .noStore: throw noStore(fault, in: damaged.folder, copy: copy)
            case .readOnly where arguments.has("verify") || arguments.has("dry-run"):
                let context = try CommandContext.openCopy(arguments, as: fault)
                return try CopyRestoring(context: context, arguments: arguments).restore(from: copy)
            default: throw fault
            }
        }
        switch opening {
        case .open(let device):
            let context = try CommandContext(device)
            return try CopyRestoring(context: context, arguments: arguments).restore(from: copy)
        case .damaged(let fault):
            let reason = DamagedStore.reason(fault)
            return try StartingOver(damaged: damaged, arguments: arguments, reason: reason)
                .run(from: copy)
        }
    }

    /// Where there is no store the copy becomes it, as it is: what `init` makes is of another space.
    private static func noStore(
        _ fault: StoreFault, in folder: DeviceFolder, copy: String
    ) -> any Error {
        guard let (from, to) = folder.placement(ofCopy: copy) else { return fault }
        return CommandFailure(
            CommandFailure(fault).code,
            "there is no store in \(folder.path.shownInLine); to go on from the copy, put it there: "
                + "mkdir -p \(folder.path.shellQuoted) && cp -r \(from.shellQuoted) \(to.shellQuoted)"
        )
    }

    /// A day means its end: what was shown when it was over.
    private static func time(_ arguments: Arguments, _ context: CommandContext) throws -> Int64? {
        guard let text = arguments["as-of"] else { return nil }
        if let moment = try? context.moment(text),
            case .day = moment
        {
            return moment.end(in: context.zone) - 1
        }
        return try TimeOption.read(arguments, "as-of", context)
    }

    private static func restore(
        _ found: [Record], to time: Int64, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        let field = arguments["field"].map { ToDoSchema.field(named: $0) }
        var pasts: [ToDoStore.PastValues] = []
        for stored in found {
            switch try context.todos.past(of: stored, at: time, field: field) {
            case .notYetHere:
                throw CommandFailure(
                    .nothing,
                    "'\(stored.shownTitle)' was not here at that time; nothing was restored")
            case .unknown(let since):
                let text = DatePhrase.absolute(.instant(since), zone: context.zone)
                throw CommandFailure(.nothing, "the journal goes back only to \(text)")
            case .shown(let assignments, let isDeleted):
                pasts.append((stored.id, assignments, isDeleted))
            }
        }
        let isRehearsal = arguments.has("dry-run")
        let changed = isRehearsal ? [] : try context.todos.restore(pasts)
        if arguments.has("json"), !isRehearsal {
            try report(found, arguments, context) { _ in "" }
            return .ok
        }
        for (stored, past) in zip(found, pasts) {
            if isRehearsal {
                let words =
                    ToDoStore.isOther(stored, than: past) ? "Would restore" : "Is so already"
                Screen.line("\(words): \(stored.shownTitle)")
            } else {
                try report([stored], arguments, context) {
                    changed.contains($0.id) ? "Restored" : "Was so already"
                }
            }
            if !arguments.has("json") { tell(past.assignments, of: stored, context) }
        }
        return .ok
    }

    /// Tells which fields get another value, in the words of `history`.
    private static func tell(
        _ assignments: [Assignment], of stored: Record, _ context: CommandContext
    ) {
        for assignment in assignments {
            let words = JournalOutput.words(assignment.field, assignment.value, context)
            if case .element = assignment.field {
                Screen.paragraph(words, label: "  ", hanging: 4)
            } else {
                let before = ToDoMapping.describe(
                    stored.record.visible(assignment.field) ?? .null, of: assignment.field,
                    now: context.now, zone: context.zone)
                Screen.paragraph(
                    words + "  (was: \(before.shownInLine))", label: "  ", hanging: 4)
            }
        }
    }
}
