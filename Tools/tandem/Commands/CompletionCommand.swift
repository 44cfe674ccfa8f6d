/// Prints what makes a shell complete command lines.
enum CompletionCommand: Command {
    static let name = "completion"
    static let summary = "prints what makes bash, zsh or fish complete command lines"
    static let help = """
          source <(tandem completion bash)
          tandem completion bash > ~/.local/share/bash-completion/completions/tandem
          tandem completion zsh > ~/.zfunc/_tandem
          tandem completion fish > ~/.config/fish/completions/tandem.fish

        Commands, options and their values are completed, and to-dos by their numbers
        (with their titles beside them), projects, tags, people, devices and fields of
        your own. For that the script asks this program at each Tab; it only looks, and
        waits for nobody.

        For zsh the folder of the file has to be in fpath, before compinit is called.
        """

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let names = CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")
        guard let word = arguments.words.first, arguments.words.count == 1 else {
            throw CommandFailure(.usage, "say for which shell: \(names)")
        }
        guard let shell = CompletionShell(rawValue: word) else {
            throw CommandFailure(.usage, "there is no script for '\(word)'; there is: \(names)")
        }
        let script = CompletionScript.text(for: shell)
        if arguments.has("json") {
            Terminal.line(JSONOutput.object([("script", JSONOutput.text(script))]))
        } else {
            Terminal.write(script)
        }
        return .ok
    }
}
