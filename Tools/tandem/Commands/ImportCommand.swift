import Terminal
import ToDo

/// Takes to-dos in from a file.
enum ImportCommand: Command {
    static let name = "import"
    static let summary = "Import \(FileFormat.families)"
    static let help = """
          task export | tandem import --format taskwarrior -
          tandem import --dry-run "Work [123].csv"
          tandem import ~/todo.txt

        If one entry is wrong, nothing is imported. Importing a file again updates its
        to-dos and creates no duplicates. Fields that are empty in the file keep their
        values here, other fields are replaced: --dry-run shows both values, and
        `tandem undo` reverts an import. To-dos in the trash stay there, purged ones are
        left out; both are listed.

        \(FileFormat.importHelp)\
        --dry-run         show what would be created, updated and lost; change nothing
        --partial         import the good entries of a file that has bad ones
        --revive          restore to-dos that are in the trash; make new ones in place
                          of purged ones
        """
    static let values =
        ["format"] + ToDoFormats.readOptions.filter { $0.value != nil }.map(\.name)
    static let flags =
        ["revive", "dry-run", "partial"]
        + ToDoFormats.readOptions.filter { $0.value == nil }.map(\.name)

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let path = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which file, or - for the standard input")
        }
        var bytes: [UInt8]?
        let format = try FileFormat.read(arguments["format"], path: path) {
            let read = try Files.read(path, byteCountMax: FormatLimits.fileByteCountMax)
            bytes = read
            return read
        }
        let content = try bytes ?? Files.read(path, byteCountMax: FormatLimits.fileByteCountMax)
        let context = try CommandContext.open(arguments)
        let reader = try FileFormat.reader(
            format, arguments, path: path, zone: context.zone, now: context.now)
        let reading = try reader.read(content)
        let isRefused = !reading.faults.isEmpty && !arguments.has("partial")
        if arguments.has("dry-run") {
            let steps = try context.todos.rehearseImport(
                reading, revives: arguments.has("revive"), echo: reader.echo)
            let report = ImportReport(steps, reading)
            if arguments.has("json") {
                Screen.line(report.json(isDryRun: true))
            } else {
                report.tellPlan(isRefused: isRefused)
            }
            return isRefused ? .badData : .ok
        }
        if isRefused { throw refusal(reading.faults) }
        let steps = try context.todos.importFile(
            reading, revives: arguments.has("revive"), echo: reader.echo)
        let report = ImportReport(steps, reading)
        if arguments.has("json") {
            Screen.line(report.json(isDryRun: false))
        } else {
            try report.tell(context)
        }
        LossOutput.warn(
            reading.losses, remarks: reading.remarks,
            command: ["import", "--dry-run", "--format", format.profile.name, path])
        return .ok
    }

    private static func refusal(_ faults: [FormatFault]) -> CommandFailure {
        let lines = LossOutput.lines(faults, limit: LossOutput.namedFaultCountMax)
        let count = faults.count == 1 ? "a bad entry" : "\(faults.count) bad entries"
        return CommandFailure(
            .badData,
            """
            the \(faults[0].format) file has \(count), so nothing was imported (--partial \
            takes the others):
            \(lines.joined(separator: "\n"))
            """)
    }
}
