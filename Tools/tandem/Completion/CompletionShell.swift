/// The shells that there is a script for.
enum CompletionShell: String, CaseIterable {
    case bash
    case zsh
    case fish
}
