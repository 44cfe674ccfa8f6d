import Causality
import Records
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

        All of a file or nothing is imported. Importing again updates what the file
        says and never doubles; what is in the trash stays there and is told.

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
        let items = try format.decode(bytes, zone: place.zone)
        let outcomes = try place.todos.importItems(items, revives: arguments.has("revive"))
        let counts = Counts(outcomes)
        if arguments.has("json") {
            Terminal.line(counts.json)
        } else {
            try counts.tell(place)
        }
        return .ok
    }

    /// What became of the to-dos in a file.
    private struct Counts {
        private var made = 0
        private var updated = 0
        private var unchanged = 0
        private var deleted: [RecordID] = []

        /// The most titles that are named of those left in the trash.
        private static let titleCountMax = 5

        init(_ outcomes: [UpsertOutcome]) {
            for outcome in outcomes {
                switch outcome {
                case .inserted: made += 1
                case .updated: updated += 1
                case .unchanged: unchanged += 1
                case .skippedDeleted(let id): deleted.append(id)
                }
            }
        }

        var json: String {
            JSONOutput.object([
                ("made", String(made)), ("updated", String(updated)),
                ("unchanged", String(unchanged)), ("deleted", String(deleted.count)),
                ("deletedIDs", JSONText.array(deleted.map(\.uuidText))),
            ])
        }

        func tell(_ place: Workplace) throws {
            let count = made + updated + unchanged + deleted.count
            Terminal.line(
                "Imported \(Echo.count(count)): \(made) new, \(updated) updated, "
                    + "\(unchanged) as they were")
            if deleted.isEmpty { return }
            Terminal.line("  \(deleted.count) left in the trash (--revive brings them back):")
            for id in deleted.prefix(Self.titleCountMax) {
                let title = try place.todos.stored(id).map { ToDoMapping.item($0).shownTitle }
                Terminal.line("    \(id.short)  \(title ?? "")")
            }
            if deleted.count > Self.titleCountMax { Terminal.line("    and more: tandem trash") }
        }
    }
}
