import Devices
import Glibc
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

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let path = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which folder: \(AdvisedLine.program) vdir FOLDER")
        }
        if arguments["project"] == "" {
            throw CommandFailure(.usage, "--project needs the name of a project")
        }
        if arguments.has("dry-run"), arguments.has("watch") {
            throw CommandFailure(.usage, "--dry-run and --watch do not go together")
        }
        let context =
            try CommandContext.open(arguments, onlyReads: arguments.has("dry-run"))
        var options = FolderMirror.Options()
        options.project = arguments["project"]
        options.isRehearsal = arguments.has("dry-run")
        options.isForced = arguments.has("force-delete")
        options.mayNarrow = arguments.has("narrow")
        options.takesOver = arguments.has("take-over")
        var output = VdirOutput(arguments)
        do {
            let mirror = try FolderMirror(
                context.device.store, at: path, zone: context.zone, options,
                wallMilliseconds: { SystemTime.now })
            guard arguments.has("watch") else {
                try mirror.run { output.tell($0) }
                return output.finish()
            }
            if Screen.showsProgress {
                Screen.error("keeping \(mirror.path) in step; Ctrl-C ends it\n")
            }
            try mirror.watch { look in
                output.tell(look)
                output.flush()
            }
            return .ok
        } catch let fault as ToDoFolderFault {
            throw CommandFailure(fault)
        }
    }
}

extension CommandFailure {
    /// A folder that cannot be kept in step.
    fileprivate init(_ fault: ToDoFolderFault) {
        func words(_ code: CInt) -> String { String(cString: strerror(code)) }
        switch fault {
        case .unopenable(let path, let code):
            self.init(.noInput, "\(path) cannot be opened: \(words(code))")
        case .inUse(let path):
            self.init(
                .retryLater,
                "another tandem works on \(path) (tandem vdir --watch?); end it, or let it do this")
        case .unwritable(let path, let code):
            self.init(.cannotCreate, "\(path) cannot be written: \(words(code))")
        case .notMade(let path, let code):
            self.init(.cannotCreate, "\(path) cannot be made: \(words(code))")
        case .gone(let path, let count):
            self.init(
                .noInput,
                """
                \(path) is gone, and \(EditMessages.count(count)) had files in it; nothing was done. \
                Is it mounted? To begin anew, make it again and say --force-delete for an empty one
                """)
        case .ofOtherStore(let path, let device):
            self.init(
                .refused,
                """
                \(path) is kept in step by another store already, that of \
                '\(device.shownInLine)'; nothing was done. Two stores would take each \
                other's files for edits: let the stores sync (tandem sync) and give this one a \
                folder of its own. If that store is gone: --take-over
                """)
        }
    }
}
