import ToDo

/// Gives to-dos out.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "gives to-dos out: JSON, Taskwarrior, iCalendar, todo.txt, CSV, plist"
    static let help = """
          tandem export > todos.jsonl
          tandem export --format taskwarrior project:Home | task import -
          tandem export --format chronolist --dry-run

        Finished ones too; words filter as in `tandem list`. What a format cannot say
        is counted on the standard error; --dry-run lists it. JSON lines and vtodo
        (iCalendar) keep every field; the trash and the values of open conflicts are
        kept by `tandem backup` alone.

        --format FORMAT   jsonl (default), taskwarrior, vtodo, todotxt, csv or
                          chronolist
        --dry-run         list what the file would not keep; no file is written
        --excel-safe      a table in which no cell is a formula: an apostrophe in front
        --xml             a ChronoList archive as XML instead of binary
        """
    static let values = ["format"]
    static let flags = ["xml", "dry-run", "excel-safe"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let format = try FileFormat.read(arguments["format"] ?? FileFormat.jsonl.rawValue)
        let place = try Workplace.open(arguments)
        let filter = try ToDoFilter.parse(arguments.words, now: place.now, zone: place.zone)
        let items = try place.todos.export(filter)
        var settings = FormatSettings(zone: place.zone, now: place.now)
        settings.isXML = arguments.has("xml")
        settings.isExcelSafe = arguments.has("excel-safe")
        let writing = try format.encode(items, settings)
        if arguments.has("dry-run") {
            rehearse(writing, count: items.count, format, arguments)
            return .ok
        }
        Terminal.write(writing.bytes)
        LossOutput.warn(
            writing.losses,
            command: ["export", "--dry-run", "--format", format.rawValue] + arguments.words)
        return .ok
    }

    private static func rehearse(
        _ writing: FormatWriting, count: Int, _ format: FileFormat, _ arguments: Arguments
    ) {
        if arguments.has("json") {
            return Terminal.line(
                JSONOutput.object([
                    ("format", JSONOutput.text(format.rawValue)), ("count", String(count)),
                    ("bytes", String(writing.bytes.count)),
                    ("losses", LossOutput.array(writing.losses.map { LossOutput.json($0) })),
                ]))
        }
        Terminal.line(
            "Would write \(Echo.count(count)) as \(format.rawValue), "
                + "\(writing.bytes.count) bytes"
                + (writing.losses.isEmpty ? "; nothing of them is lost" : ""))
        LossOutput.write(writing.losses)
    }
}
