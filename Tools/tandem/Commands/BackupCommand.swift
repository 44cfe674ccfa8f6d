import Storage

/// Copies the store.
enum BackupCommand: Command {
    static let name = "backup"
    static let summary = "copies the store into a new folder"
    static let help = """
          tandem backup ~/backups/todos-2026-11-21

        The copy is whole, also while other commands write. To go back to it, put it
        in the place of the store, or name it with --store: it takes a new identity by
        itself, and a sync brings what happened since.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let folder = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say where to: tandem backup FOLDER")
        }
        let place = try Workplace.open(arguments)
        try place.store.backup(to: folder)
        if arguments.has("json") {
            Terminal.line(JSONOutput.object([("backup", JSONOutput.text(folder))]))
        } else {
            Terminal.line("Backed up to \(folder)")
        }
        return .ok
    }
}
