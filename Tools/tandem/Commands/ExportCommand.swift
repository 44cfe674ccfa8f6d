import ToDo

/// Gives to-dos out.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "gives to-dos out: JSON lines, Taskwarrior, ChronoList"
    static let help = """
          tandem export > todos.jsonl
          tandem export --format taskwarrior project:Home | task import -
          tandem export --format chronolist --xml > todos.plist

        Finished ones too; words filter as in `tandem list`. JSON lines keep every
        field; the trash and the values of open conflicts are kept by `tandem backup`
        alone.

        --format FORMAT   jsonl (default), taskwarrior or chronolist
        --xml             a ChronoList archive as XML instead of binary
        """
    static let values = ["format"]
    static let flags = ["xml"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let format = try FileFormat.read(arguments["format"] ?? FileFormat.jsonl.rawValue)
        let place = try Workplace.open(arguments)
        let filter = try ToDoFilter.parse(arguments.words, now: place.now, zone: place.zone)
        let items = try place.todos.export(filter)
        Terminal.write(
            try format.encode(items, zone: place.zone, isXML: arguments.has("xml")))
        return .ok
    }
}
