/// Answers the scripts that `tandem completion` prints, while a person types.
///
/// Each line of the answer is a word, a tab, and what is told of it; a line without a word asks the shell for
/// `files` or `folders`. It is never an error: what cannot be found out is not offered.
enum CompleteCommand: Command {
    static let name = "complete"
    static let summary = "tells a shell how a command line may go on"
    static let help = """
          tandem complete -- list project:Ho
          tandem complete --quoted -- edit 3 "project:My Ho"

        Asked by the scripts of `tandem completion`. The words behind -- are those of a
        command line up to the cursor, the last one as far as it was typed.

        --quoted          the words are as they were typed, with quotes and backslashes
        """
    static let flags = ["quoted"]
    static let isHidden = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let words = arguments.words.map { arguments.has("quoted") ? ShellWords.unquoted($0) : $0 }
        let answer = CompletionAnswer(CompletionLine(words))
        if let paths = answer.paths { Terminal.line("\t\(paths.rawValue)") }
        for candidate in answer.candidates { Terminal.line("\(candidate.word)\t\(candidate.note)") }
        return .ok
    }
}
