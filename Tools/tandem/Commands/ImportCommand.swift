import Devices
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
        left out; both are listed. The exit code is 1 if nothing of the file was
        imported, and 4 if a part was not: bad, in the trash, or purged.

        Files of \(FileFormat.streamedNames)
        may be of any length; of a long one a dry run lists the first \(FormatLimits.listedStepCountMax) to-dos
        that would change. Others have \(FormatLimits.fileByteCountMax >> 20) MiB and \(FormatLimits.entryCountMax) entries at most.

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
        guard let path = arguments.words.first else {
            throw CommandFailure(
                .usage,
                "say which file, or - for the standard input: \(AdvisedLine.program) import --format jsonl -"
            )
        }
        if arguments.words.count > 1 {
            throw CommandFailure(
                .usage,
                "one file at a time; first: \(AdvisedLine.program) import \(path.shellQuoted)")
        }
        let file = try LongFile(path)
        let short = try file.whole(byteCountMax: FormatLimits.heldByteCountMax)
        // Of very many lines each may be an entry: they are read piece by piece, as a long file is.
        let held = short.flatMap { FormatLimits.isHeld($0) ? $0 : nil }
        let format = try FileFormat.read(arguments["format"], path: path) {
            try held ?? file.beginning(byteCountMax: FormatLimits.pieceByteCount)
        }
        let source = path == "-" ? "the standard input" : path.shownInLine
        let context =
            try CommandContext.open(arguments, onlyReads: arguments.has("dry-run"))
        let reader = try FileFormat.reader(
            format, arguments, path: path, zone: context.zone, now: context.now)
        if held == nil, reader.stream() != nil {
            return try naming(source) {
                try importLong(file, reader, path, source, arguments, context)
            }
        }
        let content = try held ?? whole(file)
        if FormatReading.isEmptyFile(content) {
            throw CommandFailure(.nothing, "\(source) is empty, so nothing was imported")
        }
        let reading = try naming(source) { try reader.read(content) }
        let isRefused = !reading.faults.isEmpty && !arguments.has("partial")
        if arguments.has("dry-run") {
            let steps = try context.todos.rehearseImport(
                reading, revives: arguments.has("revive"), echo: reader.echo)
            return tellPlan(
                ImportReport(ImportSummary(steps), reading, of: source, steps),
                isRefused: isRefused, arguments)
        }
        if isRefused {
            throw refusal(reading, reading.items.count + reading.trash.count, of: source)
        }
        let steps = try context.todos.importFile(
            reading, revives: arguments.has("revive"), echo: reader.echo)
        return try tell(
            ImportReport(ImportSummary(steps), reading, of: source), reading, reader, path,
            arguments, context)
    }

    private static func tellPlan(
        _ report: ImportReport, isRefused: Bool, _ arguments: Arguments
    ) -> ExitCode {
        if arguments.has("json") {
            Screen.line(report.json(isDryRun: true))
        } else {
            report.tellPlan(isRefused: isRefused)
        }
        return isRefused ? .badData : report.code
    }

    /// Names the file where it cannot be read.
    private static func naming<T>(_ source: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let fault as FormatFault {
            throw CommandFailure(.badData, "\(source): \("\(fault)".shownInLine)")
        }
    }

    private static func whole(_ file: LongFile) throws -> [UInt8] {
        guard let bytes = try file.whole(byteCountMax: FormatLimits.fileByteCountMax) else {
            throw CommandFailure(
                .badData,
                "the file has more than \(FormatLimits.fileByteCountMax) bytes; nothing was read; "
                    + "of any length are files of \(FileFormat.streamedNames)")
        }
        return bytes
    }

    /// Imports a file of which no more is held than a piece.
    private static func importLong(
        _ file: LongFile, _ reader: any ToDoFormat, _ path: String, _ source: String,
        _ arguments: Arguments, _ context: CommandContext
    ) throws -> ExitCode {
        try file.keep(
            in: context.device.scratchFolder, byteCountMax: FormatLimits.longFileByteCountMax)
        let revives = arguments.has("revive")
        do {
            let long = try LongImport(reader, takesPart: arguments.has("partial")) { body in
                try file.forEachPiece(byteCount: FormatLimits.pieceByteCount, body)
            }
            if arguments.has("dry-run") {
                let plan = try context.todos.rehearse(long, revives: revives)
                return tellPlan(
                    ImportReport(
                        plan.summary, long.reading, of: source, plan.steps,
                        unlistedStepCount: plan.unlistedStepCount),
                    isRefused: long.isRefused, arguments)
            }
            let summary = try context.todos.carryOut(long, revives: revives)
            return try tell(
                ImportReport(summary, long.reading, of: source), long.reading, reader, path,
                arguments, context, isLong: true)
        } catch let fault as LongImportFault {
            switch fault {
            case .badEntries(let reading, let goodCount):
                throw refusal(reading, goodCount, of: source)
            case .changed:
                throw CommandFailure(
                    .badData,
                    "\(source) was changed while it was read, so nothing was imported; "
                        + "import it again")
            }
        }
    }

    private static func tell(
        _ report: ImportReport, _ reading: FormatReading, _ reader: any ToDoFormat, _ path: String,
        _ arguments: Arguments, _ context: CommandContext, isLong: Bool = false
    ) throws -> ExitCode {
        if arguments.has("json") {
            Screen.line(report.json(isDryRun: false))
        } else {
            try report.tell(context)
        }
        if isLong {
            LossOutput.warnOfSome(reading)
        } else {
            LossOutput.warn(
                reading.losses, remarks: reading.remarks,
                command: [
                    "import", "--dry-run", "--format", type(of: reader).profile.name, path,
                ])
        }
        return report.code
    }

    private static func refusal(
        _ reading: FormatReading, _ goodCount: Int, of source: String
    ) -> CommandFailure {
        let faults = reading.faults
        let faultCount = faults.count + reading.unlistedFaultCount
        let lines = LossOutput.lines(
            faults, limit: LossOutput.namedFaultCountMax, count: faultCount)
        let count = faultCount == 1 ? "a bad entry" : "\(faultCount) bad entries"
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
