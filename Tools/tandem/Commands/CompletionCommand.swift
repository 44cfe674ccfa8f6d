import Terminal

/// Prints what makes a shell complete command lines.
enum CompletionCommand: Command {
    static let name = "completion"
    static let summary = "Print the completion script of bash, zsh or fish"
    static let help = """
          source <(tandem completion bash)
          tandem completion bash > ~/.local/share/bash-completion/completions/tandem
          tandem completion zsh > ~/.zfunc/_tandem
          tandem completion fish > ~/.config/fish/completions/tandem.fish

        Tab then completes commands, options, values, to-dos by their numbers, projects,
        tags, people, devices and fields of your own. At each Tab the script runs
        tandem, which reads the store without waiting and changes nothing.

        For zsh, add the file's folder to fpath before compinit is called.
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
            Screen.line(JSONOutput.object([("script", JSONOutput.text(script))]))
        } else {
            Screen.write(script)
        }
        return .ok
    }
}
