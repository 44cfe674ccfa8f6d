import Terminal
import ToDo

/// The lines of this program that somebody is told to type.
///
/// Numbers and `last` mean other to-dos in another store: a line goes on with the store of the line that it answers.
enum AdvisedLine {
    /// The value of `--store` in the command line of this process; nil where the environment says which store it is.
    nonisolated(unsafe) private static var store: String?

    /// How such a line begins: the program, with the store that the command line named.
    static var program: String {
        Tandem.name + (store.map { " --store \(shown($0))" } ?? "")
    }

    /// A path as a shell takes it, a short one in one's own folder.
    private static func shown(_ path: String) -> String {
        if let home = CommandContext.environment("HOME"), !home.isEmpty, path.hasPrefix(home + "/")
        {
            let rest = path.dropFirst(home.count + 1)
            if !rest.isEmpty { return "~/" + String(rest).shellQuoted.shownInLine }
        }
        return path.shellQuoted.shownInLine
    }

    /// Takes the store of a line that is not read yet.
    static func take(typed words: [String]) {
        store = nil
        guard words.contains(where: { $0.hasPrefix("--store") }) else { return }
        let option = ForeignOptions.store(
            in: ForeignOptions.parted(words, values: Set(Tandem.commonValues)).options)
        store = option.first.flatMap {
            Arguments.parts(ofOption: $0).value ?? option.dropFirst().first
        }
    }

    /// Takes the store of a command; the one of a relay is no store of to-dos.
    static func take(_ arguments: Arguments) {
        store = arguments.command == RelayCommand.name ? nil : arguments["store"]
    }

    /// The options of a command besides the store, which stands in front already.
    static func options(_ arguments: Arguments) -> [String] {
        arguments.options.filter { !$0.hasPrefix("--store=") }
    }

    /// A line of words, each as a shell takes it.
    static func line(_ words: [String]) -> String {
        ([program] + words.map(\.shellQuoted)).joined(separator: " ").shownInLine
    }
}
