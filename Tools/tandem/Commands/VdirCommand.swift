import Glibc
import Storage
import Terminal
import ToDo

/// Keeps a folder of iCalendar files and the store alike.
enum VdirCommand: Command {
    static let name = "vdir"
    static let summary = "Sync with a folder of .ics files (todoman, vdirsyncer)"
    static let help = """
          tandem vdir ~/todos
          tandem vdir ~/todos/garden --project Home.Garden
          tandem vdir ~/todos --watch
          tandem vdir ~/todos --dry-run

        Each to-do is one .ics file, as in todoman; vdirsyncer syncs the folder with a
        CalDAV server. Changes on both sides are merged field by field. If the same
        field changed on both, both values are kept: tandem conflicts. Deleting a file
        moves its to-do to the trash; deleting a to-do removes its file. If all files
        are gone, or more than half and more than 20, nothing happens unless you add
        `--force-delete`.

        A file that cannot be read is reported with its line and left alone. Properties
        that no to-do field holds stay in the file, and in custom fields named
        ical:NAME. A folder belongs to one store: sync other devices with tandem sync,
        never by copying the folder.

        --project NAME    only this project and those below it; new files get it
        --watch           continue until Ctrl-C, and sync whenever a side changes
        --dry-run         show what would be done, and do nothing
        --force-delete    the files are gone on purpose: delete their to-dos
        --narrow          allow another --project than before: removes the files of
                          other to-dos, the to-dos stay
        --take-over       take a folder over from another store, which is gone
        """
    static let values = ["project"]
    static let flags = ["watch", "dry-run", "force-delete", "narrow", "take-over"]

    /// How often a watch looks at the store; milliseconds.
    private static let intervalMilliseconds: UInt32 = 500
    /// How long a file may be gone before it counts as deleted; milliseconds.
    private static let replacementMilliseconds: UInt32 = 300
    /// How often one run looks again because files changed under its hands.
    private static let roundCountMax = 5

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let path = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which folder: tandem vdir FOLDER")
        }
        if arguments["project"] == "" {
            throw CommandFailure(.usage, "--project needs the name of a project")
        }
        let isRehearsal = arguments.has("dry-run")
        if isRehearsal, arguments.has("watch") {
            throw CommandFailure(.usage, "--dry-run and --watch do not go together")
        }
        let place = try CommandContext.open(arguments)
        let folder = try open(path, place, arguments)
        if let folder { try claim(folder, place, arguments) }
        guard let folder else {
            // The rehearsal of a folder that is still to be made.
            let sync = sync(Files.futurePath(ofFolder: path), place, arguments)
            var output = VdirOutput(arguments)
            output.tell(try sync.look([], isRehearsal: true))
            return output.finish()
        }
        if arguments.has("watch") { return try watch(folder, place, arguments) }
        var output = VdirOutput(arguments)
        for _ in 0..<roundCountMax {
            let isForced = arguments.has("force-delete")
            if try look(folder, place, arguments, isForced: isForced, &output) { break }
        }
        return output.finish()
    }

    private static func sync(
        _ path: String, _ place: CommandContext, _ arguments: Arguments
    ) -> FolderSync {
        FolderSync(
            todos: ToDoStore(store: place.store, now: SystemTime.now, zone: place.zone),
            folder: path, project: arguments["project"], mayNarrow: arguments.has("narrow"))
    }

    /// Opens the folder; makes it if it was never there.
    ///
    /// - Returns: nil if it is still to be made, in a rehearsal.
    private static func open(
        _ path: String, _ place: CommandContext, _ arguments: Arguments
    ) throws -> ToDoFolder? {
        if access(path, F_OK) == 0 || errno != ENOENT { return try ToDoFolder(path) }
        let known = try sync(Files.futurePath(ofFolder: path), place, arguments).known()
        guard known.isEmpty else {
            throw CommandFailure(
                .noInput,
                """
                \(path) is gone, and \(Echo.count(known.count)) had files in it; nothing was done. \
                Is it mounted? To begin anew, make it again and say --force-delete for an empty one
                """)
        }
        if arguments.has("dry-run") { return nil }
        guard mkdir(path, 0o700) == 0 else {
            throw CommandFailure(
                .cannotCreate, "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
        return try ToDoFolder(path)
    }

    /// Refuses a folder that another store keeps, and says in it that this one does.
    private static func claim(
        _ folder: ToDoFolder, _ place: CommandContext, _ arguments: Arguments
    ) throws {
        let sync = sync(folder.path, place, arguments)
        let found = folder.hidden(FolderOwner.fileName, byteCountMax: FolderOwner.byteCountMax)
        let owner = found.flatMap { FolderOwner(bytes: $0) }
        if let owner, try !sync.isOwn(owner), !arguments.has("take-over") {
            throw CommandFailure(
                .refused,
                """
                \(folder.path) is kept in step by another store already, that of \
                '\(owner.device.shownInLine)'; nothing was done. Two stores would take each \
                other's files for edits: let the stores sync (tandem sync) and give this one a \
                folder of its own. If that store is gone: --take-over
                """)
        }
        let own = try sync.owner()
        if owner != own, !arguments.has("dry-run") {
            try folder.writeHidden(FolderOwner.fileName, own.bytes)
        }
    }

    /// Looks once.
    ///
    /// - Returns: whether nothing changed meanwhile.
    private static func look(
        _ folder: ToDoFolder, _ place: CommandContext, _ arguments: Arguments, isForced: Bool,
        _ output: inout VdirOutput
    ) throws -> Bool {
        let sync = sync(folder.path, place, arguments)
        let known = try sync.known()
        var files = try folder.files(known: known)
        if !Set(known.keys).isSubset(of: files.map(\.name)) {
            // Some programs remove a file before they write it anew.
            usleep(Self.replacementMilliseconds * 1_000)
            files = try folder.files(known: known)
        }
        let isRehearsal = arguments.has("dry-run")
        let report = try sync.look(files, isForced: isForced, isRehearsal: isRehearsal)
        if isRehearsal || report.refusal != nil {
            output.tell(report)
            return true
        }
        let outcomes = folder.take(report.steps)
        try sync.settle(outcomes)
        output.tell(report, outcomes.map(\.outcome))
        return !outcomes.contains { if case .changedMeanwhile = $0.outcome { true } else { false } }
    }

    private static func watch(
        _ folder: ToDoFolder, _ place: CommandContext, _ arguments: Arguments
    ) throws -> ExitCode {
        var output = VdirOutput(arguments)
        if Screen.showsProgress {
            Screen.error("keeping \(folder.path) in step; Ctrl-C ends it\n")
        }
        let events = FolderWatch(folder.path)
        var seen: (files: Set<String>, sequence: UInt64)?
        // The option holds for files missing now, not for those deleted later.
        var isForced = arguments.has("force-delete")
        while true {
            let files = try folder.fingerprint()
            let sequence = try place.store.news(after: .max).sequence
            if seen?.files != files || seen?.sequence != sequence {
                // Before the look, so that what comes during it is noticed.
                seen = (files, sequence)
                do {
                    if try !look(folder, place, arguments, isForced: isForced, &output) {
                        seen = nil
                    }
                    isForced = false
                } catch StoreFault.busy {
                    // Somebody writes for long: there is another time.
                    seen = nil
                }
                output.flush()
            }
            // Asking the store is cheap; all files are read when one changed.
            repeat {
                events.wait(milliseconds: Self.intervalMilliseconds)
            } while try seen != nil && !events.takeChange()
                && place.store.news(after: .max).sequence == sequence
        }
    }
}
