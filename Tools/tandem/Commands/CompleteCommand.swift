import Terminal
import ToDo

/// Answers the scripts that `tandem completion` prints, while a person types.
///
/// Each line of the answer is a word, a tab, and what is told of it; a line without a word asks the shell for
/// `files` or `folders`. It is never an error: what cannot be found out is not offered.
enum CompleteCommand: Command {
    static let name = "complete"
    static let summary = "Suggest how a command line continues, for a shell"
    static let help = """
          tandem complete -- list project:Ho
          tandem complete --quoted -- edit 3 "project:My Ho"

        The scripts of `tandem completion` call this command. The words after -- are the
        command line up to the cursor; the last one may be incomplete.

        --quoted          the words still have their quotes and backslashes
        """
    static let flags = ["quoted"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        // Who types it wants something else: the scripts put -- before the words.
        guard let separator = arguments.words.firstIndex(of: "--") else {
            throw CommandFailure(
                .usage,
                "`complete` is for shells; to finish a to-do: \(AdvisedLine.program) done "
                    + arguments.words.map(\.shellQuoted).joined(separator: " "))
        }
        let words = (arguments.words[..<separator] + arguments.words[(separator + 1)...]).map {
            arguments.has("quoted") ? ShellWords.unquoted($0) : $0
        }
        let answer = CompletionAnswer(CompletionLine(words))
        if let paths = answer.paths { Screen.line(columns: ["", paths.rawValue]) }
        for candidate in answer.candidates {
            Screen.line(columns: [candidate.word, candidate.note])
        }
        return .ok
    }
}
