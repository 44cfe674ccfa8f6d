import Terminal
import ToDo

/// Decides conflicts.
enum ResolveCommand: Command {
    static let name = "resolve"
    static let summary = "Choose the value of a conflict, or of many alike"
    static let help = """
          tandem resolve 1 --field title --mine
          tandem resolve 1 --field title --theirs
          tandem resolve 1 --field due --value friday
          tandem resolve 1 --field notes --both
          tandem resolve 1 --device phone
          tandem resolve 1-3 --field due --theirs
          tandem resolve --all --field due --theirs
          tandem resolve --all --deleted --restore
          tandem resolve 1 --copy

        `tandem undo` opens the conflict again. Not so after --copy.

        --field NAME      the field; not needed if only one is in conflict
        --mine            choose the value of this device
        --theirs          choose the value of the other device
        --both            join both texts: of titles, notes, locations, own fields
        --device NAME     choose the value of a device or a "folder NAME" (tandem vdir)
        --pick N          choose the N-th value that `tandem conflicts` shows
        --value TEXT      set another value; '' for none
        --all             every conflict of that field, or of all fields; asks if more
                          than one (--yes: do not ask). A conflict for which the choice
                          is ambiguous stays and is listed.
        --deleted         with --all: to-dos deleted on one device and edited on
                          another; for a single one use `tandem restore` or
                          `tandem delete`
        --restore         with --deleted: restore them
        --delete          with --deleted: keep them deleted
        --copy            copy what another device wrote to a purged to-do into a new
                          one (with --all: of every such to-do). `tandem undo` puts
                          the new one in the trash, and the conflict stays closed.
                          To drop the values instead: tandem purge 1 --force
        """
    static let values = ["field", "value", "device", "pick"]
    static let flags = ["mine", "theirs", "both", "all", "deleted", "restore", "delete", "copy"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        if arguments.has("copy") { return try copy(arguments, context) }
        if arguments.has("all") {
            try arguments.refuseWords()
            return arguments.has("deleted")
                ? try decideDeleted(arguments, context) : try decideAll(arguments, context)
        }
        if arguments.words.isEmpty {
            throw CommandFailure(
                .usage,
                "say which one of those that `\(AdvisedLine.program) conflicts` lists: \(AdvisedLine.program) resolve 1 --field title "
                    + "--mine")
        }
        let found = try context.findAll(arguments.words)
        // First what is in conflict: no value is to be chosen of a to-do that was deleted and edited.
        let conflicts = try found.map { try conflict(of: $0, arguments, context) }
        let choice = try ResolveChoice.read(arguments)
        // All are decided, or none is.
        let decisions = try zip(found, conflicts).map { stored, conflict in
            (
                id: stored.id, field: conflict.0,
                value: try value(choice, conflict, of: stored, isOne: found.count == 1, context)
            )
        }
        try context.todos.resolve(decisions)
        if arguments.has("json") {
            let settled = try found.compactMap { try context.todos.stored($0.id) }
            Screen.line(JSONOutput.array(try JSONOutput.items(settled, context.todos)))
            return .ok
        }
        for (stored, decision) in zip(found, decisions) {
            let text = ToDoMapping.describe(
                decision.value, of: decision.field, now: context.now, zone: context.zone)
            let name = ToDoSchema.name(of: decision.field).shownInLine
            let whose = found.count == 1 ? "" : " of '\(stored.shownTitle)'"
            Screen.line("Resolved: \(name)\(whose) is \(text.shownInLine)")
            let left = try context.todos.conflicts(of: stored.id).count
            if left > 0 {
                Screen.line("  \(EditMessages.count(left, "conflict")) left on this to-do")
            }
        }
        return .ok
    }

    /// The value that the choice means for one of the to-dos; of several the refusal names it.
    private static func value(
        _ choice: ConflictChoice, _ conflict: (Field, [ToDoConflict.Candidate]), of stored: Record,
        isOne: Bool, _ context: CommandContext
    ) throws -> Value {
        do {
            return try context.todos.value(choice, of: conflict.0, among: conflict.1)
        } catch let fault as ConflictChoiceFault where !isOne {
            let failure = CommandFailure(fault)
            throw CommandFailure(
                failure.code,
                "\(ToDoSchema.name(of: conflict.0).shownInLine) of '\(stored.shownTitle)': "
                    + "\(failure.message); nothing was resolved")
        }
    }

    private static func decideAll(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        let choice = try ResolveChoice.read(arguments)
        let meant = arguments["field"].map { ToDoSchema.field(named: $0) }
        let found = try context.todos.decisions(choice, for: meant)
        for (conflict, field, why) in found.open {
            let name = ToDoSchema.name(of: field).shownInLine
            Screen.error(
                "tandem: \(name) of '\(conflict.title.shownInLine)': "
                    + "\(CommandFailure(why).message)\n")
        }
        let decisions = found.decided
        if decisions.isEmpty {
            throw CommandFailure(.nothing, "there is no such conflict to decide")
        }
        if decisions.count > 1 {
            try CommandContext.confirm(
                "Decide \(EditMessages.count(decisions.count, "conflict"))?", arguments)
        }
        try context.todos.resolve(decisions)
        return try finish(Set(decisions.map(\.id)), decisions.count, arguments, context)
    }

    /// Makes new to-dos of what was written to purged ones.
    private static func copy(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        let kept = try context.todos.conflicts().filter { conflict in
            if case .editedAfterPurge = conflict.kind { true } else { false }
        }.map(\.id)
        var ids = kept
        if arguments.has("all") {
            try arguments.refuseWords()
        } else {
            let found = try context.findAll(arguments.words)
            if let other = found.first(where: { $0.standing != .editedAfterPurge }) {
                throw CommandFailure(
                    .nothing,
                    "'\(other.shownTitle)' has nothing to copy: it "
                        + other.standing.predicate)
            }
            ids = found.map(\.id)
        }
        if ids.isEmpty { throw CommandFailure(.nothing, "there is no such conflict to decide") }
        if ids.count > 1 {
            try CommandContext.confirm("Copy \(EditMessages.count(ids.count))?", arguments)
        }
        let copies = try context.todos.copyFromPurged(ids).compactMap {
            try context.todos.stored($0)
        }
        try report(copies, arguments, context) { _ in "Copied" }
        return .ok
    }

    private static func decideDeleted(
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        guard arguments.has("restore") != arguments.has("delete") else {
            throw CommandFailure(.usage, "say --restore or --delete beside --deleted")
        }
        let ids = try context.todos.conflicts().filter { $0.kind == .wasDeleted }.map(\.id)
        if ids.isEmpty { throw CommandFailure(.nothing, "there is no such conflict to decide") }
        let isRestore = arguments.has("restore")
        if ids.count > 1 {
            let question = "\(isRestore ? "Restore" : "Delete") \(EditMessages.count(ids.count))?"
            try CommandContext.confirm(question, arguments)
        }
        let changed = isRestore ? try context.todos.restore(ids) : try context.todos.delete(ids)
        return try finish(changed, ids.count, arguments, context)
    }

    private static func finish(
        _ ids: Set<RecordID>, _ count: Int, _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        if arguments.has("json") {
            let stored = try ids.sorted().compactMap { try context.todos.stored($0) }
            Screen.line(JSONOutput.array(try JSONOutput.items(stored, context.todos)))
            return .ok
        }
        Screen.line(
            "Resolved: \(EditMessages.count(count, "conflict")); back with: \(AdvisedLine.program) undo"
        )
        let left = try context.todos.conflicts().count
        if left > 0 {
            Screen.line(
                "  \(EditMessages.count(left, "conflict")) left: \(AdvisedLine.program) conflicts")
        }
        return .ok
    }

    private static func conflict(
        of stored: Record, _ arguments: Arguments, _ context: CommandContext
    ) throws -> (Field, [ToDoConflict.Candidate]) {
        var fields: [(Field, [ToDoConflict.Candidate])] = []
        var whole: String?
        let id = context.end(of: stored.id)
        for conflict in try context.todos.conflicts(of: stored.id) {
            switch conflict.kind {
            case .field(let field, let candidates): fields.append((field, candidates))
            case .wasDeleted:
                whole =
                    "was deleted and edited: decide by `\(AdvisedLine.program) restore \(id)` or `\(AdvisedLine.program) delete \(id)`"
            case .editedAfterPurge:
                whole =
                    "was purged and edited: decide by `\(AdvisedLine.program) resolve \(id) --copy` or "
                    + "`\(AdvisedLine.program) purge \(id) --force`"
            }
        }
        let title = "'\(stored.shownTitle)' (\(id))"
        if let name = arguments["field"] {
            let field = ToDoSchema.field(named: name)
            if let found = fields.first(where: { $0.0 == field }) { return found }
            throw CommandFailure(
                .nothing, "\(name.shownInLine) of \(title) is not in conflict; \(Self.next)")
        }
        if fields.count > 1 {
            let names = fields.map { ToDoSchema.name(of: $0.0) }.joined(separator: ", ")
            throw CommandFailure(.usage, "\(title) has several conflicts; say --field: \(names)")
        }
        if let only = fields.first { return only }
        throw CommandFailure(
            .nothing,
            whole.map { "\(title) \($0)" } ?? "\(title) has no conflict; \(Self.next)")
    }

    private static var next: String {
        "what disagrees: \(AdvisedLine.program) conflicts (the number in front names the to-do)"
    }
}
