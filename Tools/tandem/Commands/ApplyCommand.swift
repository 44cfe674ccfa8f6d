import JSON
import Terminal
import ToDo

/// Applies changes that another program says in lines of JSON.
enum ApplyCommand: Command {
    static let name = "apply"
    static let summary = "Make the changes of another program, all or none"
    static let help = """
          tandem apply changes.jsonl
          mailbot | tandem apply -
          tandem apply --dry-run - < changes.jsonl

          {"key":"mail-7","kind":"insert","item":{"title":"Milk","due":"2026-12-01"}}
          {"key":"mail-8","kind":"update","id":3,"item":{"notes":"two","due":null}}
          {"key":"mail-9","kind":"update","id":"9c41e07b","item":{"status":"completed"}}
          {"key":"mail-10","kind":"delete","id":3}

        Each line is one change, in the form of `tandem watch --json`, whose lines may
        be given as well. All lines are checked before anything is saved: if one is
        wrong, its number is told and nothing is saved.
        key tells a change from all others: a line that comes again changes nothing (the
        last 20,000 keys are remembered); one that says something else under a known key
        is told and changes nothing either, and the command exits with 4. kind is
        insert, update, delete or restore.
        id is a number of a list, or an id or its beginning or end; a new to-do needs
        none. item has members as `tandem list --json` shows them: those that are left
        out stay as they are, null clears one.

        --dry-run         show what would be done
        """
    static let flags = ["dry-run"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard arguments.words.count == 1, let path = arguments.words.first else {
            throw CommandFailure(
                .usage,
                "say which file, or - for the standard input: \(AdvisedLine.program) apply changes.jsonl"
            )
        }
        let context =
            try CommandContext.open(arguments, onlyReads: arguments.has("dry-run"))
        let bytes = try Files.read(path, byteCountMax: byteCountMax)
        let results: [AppliedChange]
        do throws(ToDoChangeFault) {
            let changes = try ToDoChange.read(bytes)
            results = try context.todos.apply(changes, rehearses: arguments.has("dry-run")) {
                word throws(ToDoNameFault) in
                try context.naming.find(numberOrID: word).id
            }
        } catch {
            throw CommandFailure(error)
        }
        tell(results, arguments)
        return results.contains(where: \.differsFromKnown) ? .incomplete : .ok
    }

    /// The longest input; bytes.
    private static let byteCountMax = 64 << 20

    private static func tell(_ results: [AppliedChange], _ arguments: Arguments) {
        if arguments.has("json") {
            for result in results {
                Screen.line(
                    JSONOutput.object([
                        ("line", .number(result.change.line)),
                        ("key", JSONOutput.text(result.change.key)),
                        ("outcome", JSONOutput.text(result.outcome.rawValue)),
                        ("id", JSONOutput.text(result.id.uuidText)),
                        ("differsFromKnown", .bool(result.differsFromKnown)),
                    ]))
            }
            return
        }
        for result in results {
            Screen.line(
                "\(result.outcome.rawValue.prefix(1).uppercased())\(result.outcome.rawValue.dropFirst()): "
                    + result.title.shownInLine)
            if result.differsFromKnown {
                Screen.paragraph(
                    "line \(result.change.line) says something else than the change of key "
                        + "'\(result.change.key.shownInLine)' that was made before, and changed nothing; "
                        + "a new change needs a key of its own", label: "  ", hanging: 4)
            }
        }
        if results.isEmpty { Screen.line("There were no changes.") }
        if arguments.has("dry-run") { Screen.line("Nothing was saved (--dry-run).") }
    }
}

extension CommandFailure {
    /// Why changes were refused.
    fileprivate init(_ fault: ToDoChangeFault) {
        let line = fault.line.map { "line \($0): " } ?? ""
        switch fault.code {
        case .store(let inner):
            let failure = CommandFailure(inner as any Error)
            self.init(failure.code, "\(line)\(failure.message); nothing was saved")
        case .badName(let inner):
            let failure = CommandFailure(inner as any Error)
            self.init(.badData, "\(line)\(failure.message); nothing was saved")
        default:
            self.init(.badData, "\(line)\("\(fault)".shownInLine); nothing was saved")
        }
    }
}
