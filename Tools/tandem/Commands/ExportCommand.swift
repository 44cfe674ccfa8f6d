import ToDo

/// Gives to-dos out.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "gives out: JSON, Taskwarrior, iCalendar, todo.txt, CSV, plist"
    static let help = """
          tandem export > todos.jsonl
          tandem export --format taskwarrior project:Home | task import -
          tandem export --format chronolist --dry-run

        Finished ones too; words filter as in `tandem list`. What a format cannot say
        is counted on the standard error; --dry-run lists it. JSON lines and vtodo
        (iCalendar) keep every field.

        --format FORMAT   jsonl (default), taskwarrior, vtodo, todotxt, csv or
                          chronolist
        --all             the trash, every value of open conflicts and the history, too:
                          all that one device knows, for other programs to read
        --dry-run         list what the file would not keep; no file is written
        --excel-safe      a table in which no cell is a formula: an apostrophe in front
        --xml             a ChronoList archive as XML instead of binary
        """
    static let values = ["format"]
    static let flags = ["xml", "dry-run", "excel-safe", "all"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let format = try FileFormat.read(arguments["format"] ?? FileFormat.jsonl.rawValue)
        if arguments.has("all"), format != .jsonl || !arguments.words.isEmpty {
            throw CommandFailure(.usage, "--all gives out everything, as jsonl alone")
        }
        let place = try Workplace.open(arguments)
        if arguments.has("all") { return finish(try place.todos.exportAll(), format, arguments) }
        let filter = try ToDoFilter.parse(arguments.words, now: place.now, zone: place.zone)
        let items = try place.todos.export(filter)
        if items.isEmpty, let word = arguments.words.first {
            let none = NoMatch(
                words: arguments.words, filter: filter, isAll: true, place: place)
            let isFile = arguments.words.count == 1 && word.contains(".") && !word.contains(":")
            let parts =
                try none.parts()
                + (isFile
                    ? ["a file's name stands behind >: tandem export > \(word.shellQuoted)"] : [])
            Terminal.error("tandem: \(parts.joined(separator: "; "))\n")
        }
        var settings = FormatSettings(zone: place.zone, now: place.now)
        settings.isXML = arguments.has("xml")
        settings.isExcelSafe = arguments.has("excel-safe")
        return finish(try format.encode(items, settings), count: items.count, format, arguments)
    }

    /// Gives the file out, or tells of it.
    private static func finish(
        _ writing: FormatWriting, count: Int? = nil, _ format: FileFormat, _ arguments: Arguments
    ) -> ExitCode {
        if arguments.has("dry-run") {
            rehearse(writing, count: count, format, arguments)
            return .ok
        }
        Terminal.write(writing.bytes)
        var command = ["export", "--dry-run", "--format", format.rawValue]
        for flag in ["all", "xml", "excel-safe"] where arguments.has(flag) {
            command.append("--\(flag)")
        }
        LossOutput.warn(writing.losses, command: command + arguments.words)
        return .ok
    }

    private static func rehearse(
        _ writing: FormatWriting, count: Int?, _ format: FileFormat, _ arguments: Arguments
    ) {
        if arguments.has("json") {
            return Terminal.line(
                JSONOutput.object([
                    ("format", JSONOutput.text(format.rawValue)),
                    ("count", count.map { String($0) } ?? "null"),
                    ("bytes", String(writing.bytes.count)),
                    ("losses", LossOutput.array(writing.losses.map { LossOutput.json($0) })),
                ]))
        }
        Terminal.line(
            "Would write \(count.map { Echo.count($0) } ?? "everything") as \(format.rawValue), "
                + "\(writing.bytes.count) bytes"
                + (writing.losses.isEmpty ? "; nothing of them is lost" : ""))
        LossOutput.write(writing.losses)
    }
}
