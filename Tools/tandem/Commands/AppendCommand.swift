import Terminal
import ToDo

/// Adds words to the end of titles.
enum AppendCommand: Command {
    static let name = "append"
    static let summary = "Add words to the end of a title"
    static let help = """
          tandem append 3 and bread
          tandem append last +errand due:sat soon

        Keys and tags are those of `tandem edit`.

        --dry-run         show what would change, and change nothing
        """
    static let flags = ["dry-run"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(arguments)
        guard arguments.words.count > 1 else {
            throw CommandFailure(.usage, "say which, and what: tandem append 3 and bread")
        }
        let words = try ItemWords.parse(
            Array(arguments.words.dropFirst()), for: .appending, context)
        return try ItemEdit(words, arguments).of(try Selection.first(arguments, context), context)
    }
}
