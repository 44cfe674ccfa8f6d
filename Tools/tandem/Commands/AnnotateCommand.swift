import Terminal
import ToDo

/// Adds a line with its time to the notes of to-dos.
enum AnnotateCommand: Command {
    static let name = "annotate"
    static let summary = "Add a line to the notes, with the time"
    static let help = """
          tandem annotate 3 Anna called
          tandem annotate last 'see https://example.org'

        The words are a line of their own at the end of the notes, with the time in
        front; Taskwarrior reads and writes such lines as annotations. For a line
        without a time: tandem edit 3 notes+:Anna called

        --dry-run         show what would change, and change nothing
        """
    static let flags = ["dry-run"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(
            arguments, onlyReads: arguments.has("dry-run"))
        let text = arguments.words.dropFirst().joined(separator: " ")
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandFailure(
                .usage, "say which, and what: \(AdvisedLine.program) annotate 3 Anna called")
        }
        var words = ToDoWords()
        words.assignments = [.annotate(text)]
        let target = try Selection.first(arguments, context)
        try TargetName(name, arguments, target, context)?.refuseIfLonger(by: text)
        return try ItemEdit(words, arguments).of(target, context)
    }
}
