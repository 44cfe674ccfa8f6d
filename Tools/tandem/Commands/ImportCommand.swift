import Glibc
import Storage
import ToDo

/// Takes to-dos in from a file.
enum ImportCommand: Command {
    static let name = "import"
    static let summary = "takes to-dos in: Taskwarrior, ChronoList, JSON lines"
    static let help = """
          task export | tandem import --format taskwarrior -
          tandem import --format chronolist todos.plist
          tandem import --format jsonl backup.jsonl

        All of a file or nothing is imported. Importing again updates and never doubles; what is in
        the trash stays there and is told.

        --format FORMAT   taskwarrior, chronolist (binary or XML) or jsonl
        --revive          bring back what is in the trash
        """
    static let values = ["format"]
    static let flags = ["revive"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let path = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say which file, or - for the standard input")
        }
        let format = try FileFormat.read(arguments["format"])
        let bytes = try InputFile.read(path)
        let place = try Workplace.open(arguments)
        var items = try format.decode(bytes, zone: place.zone)
        for index in items.indices where items[index].identifier == nil {
            items[index].identifier = ToDoStore.contentHash(
                Array(JSONLinesFormat.line(items[index]).utf8))
        }
        let outcomes = try place.todos.importItems(items, revives: arguments.has("revive"))
        var counts = (made: 0, updated: 0, same: 0, deleted: 0)
        for outcome in outcomes {
            switch outcome {
            case .inserted: counts.made += 1
            case .updated: counts.updated += 1
            case .unchanged: counts.same += 1
            case .skippedDeleted: counts.deleted += 1
            }
        }
        if arguments.has("json") {
            Terminal.line(
                JSONOutput.object([
                    ("made", String(counts.made)), ("updated", String(counts.updated)),
                    ("unchanged", String(counts.same)), ("deleted", String(counts.deleted)),
                ]))
        } else {
            Terminal.line(
                "Imported \(Echo.count(items.count)): \(counts.made) new, \(counts.updated) updated, "
                    + "\(counts.same) as they were")
            if counts.deleted > 0 {
                Terminal.line(
                    "  \(counts.deleted) left in the trash (--revive brings them back)")
            }
        }
        return .ok
    }
}
