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
        left out; both are listed. The exit code is 1 if nothing of the file was imported,
        and 4 if a part was not: bad, in the trash, or purged.

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
        let source = path == "-" ? "the standard input" : path.shownInLine
        let context = try CommandContext.open(arguments)
        let reader = try FileFormat.reader(
            format, arguments, path: path, zone: context.zone, now: context.now)
        if FormatReading.isEmptyFile(content) {
            throw CommandFailure(.nothing, "\(source) is empty, so nothing was imported")
        }
        let reading: FormatReading
        do throws(FormatFault) {
            reading = try reader.read(content)
        } catch {
            throw CommandFailure(.badData, "\(source): \("\(error)".shownInLine)")
        }
        let isRefused = !reading.faults.isEmpty && !arguments.has("partial")
        if arguments.has("dry-run") {
            let steps = try context.todos.rehearseImport(
                reading, revives: arguments.has("revive"), echo: reader.echo)
            let report = ImportReport(steps, reading, of: source)
            if arguments.has("json") {
                Screen.line(report.json(isDryRun: true))
            } else {
                report.tellPlan(isRefused: isRefused)
            }
            return isRefused ? .badData : report.code
        }
        if isRefused { throw refusal(reading, of: source) }
        let steps = try context.todos.importFile(
            reading, revives: arguments.has("revive"), echo: reader.echo)
        let report = ImportReport(steps, reading, of: source)
        if arguments.has("json") {
            Screen.line(report.json(isDryRun: false))
        } else {
            try report.tell(context)
        }
        LossOutput.warn(
            reading.losses, remarks: reading.remarks,
            command: ["import", "--dry-run", "--format", format.profile.name, path])
        return report.code
    }

    private static func refusal(_ reading: FormatReading, of source: String) -> CommandFailure {
        let faults = reading.faults
        let lines = LossOutput.lines(faults, limit: LossOutput.namedFaultCountMax)
        let count = faults.count == 1 ? "a bad entry" : "\(faults.count) bad entries"
        let goodCount = reading.items.count + reading.trash.count
        let advice =
            goodCount == 0
            ? "there is no good one"
            : goodCount == 1
                ? "--partial takes the good one" : "--partial takes the \(goodCount) good ones"
        return CommandFailure(
            .badData,
            """
            \(source), read as \(faults[0].format), has \(count), so nothing was imported \
            (\(advice)):
            \(lines.joined(separator: "\n"))
            """)
    }
}
