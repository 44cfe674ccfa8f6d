import Terminal
import ToDo

/// Adds words to the beginning of titles.
enum PrependCommand: Command {
    static let name = "prepend"
    static let summary = "Put words in front of a title"
    static let help = """
          tandem prepend 3 URGENT:
          tandem prepend last +errand due:sat soon

        Keys and tags are those of `tandem edit`.

        --dry-run         show what would change, and change nothing
        """
    static let flags = ["dry-run"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try ItemEdit.run(
            arguments, for: .prepending, example: "\(AdvisedLine.program) prepend 3 URGENT:")
    }
}
