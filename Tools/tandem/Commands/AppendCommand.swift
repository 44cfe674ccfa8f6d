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
        try ItemEdit.run(
            arguments, for: .appending, example: "\(AdvisedLine.program) append 3 and bread")
    }
}
