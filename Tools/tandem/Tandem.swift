import Devices
import Terminal
import ToDo

/// `tandem`: the same to-dos on all of a person's machines.
@main
struct Tandem: Program {
    static let name = "tandem"
    static let version = "0.1.0"

    /// The purpose of this program, in a line.
    static let purpose = "one to-do list on all of your devices"

    static let commands = groups.flatMap { $0.rows.flatMap(\.commands) }
    static let hiddenCommands: [any Command.Type] = [CompleteCommand.self]
    static let shorthands = ToDoView.allCases.map { view in
        Shorthand(view.rawValue, view.summary, for: ViewCommand.self)
    }
    static let commonOptions: [HelpBlock.Definition] = [
        .init("--json", "print the result as JSON"),
        .init(
            "--store FOLDER",
            "use this store (default `$TANDEM_STORE`, else `$XDG_DATA_HOME/tandem`)"),
        .init("--yes", "answer every question with yes"),
        .init("--no-input", "never ask; refuse instead"),
        .init("--help", "explain the command"),
    ]
    /// Filters have words such as `-tag`.
    static let allowsHyphenWords = true

    static let aboutHelp = (
        summary: "Explain a command or a topic",
        help: """
          tandem help
          tandem help list
          tandem help exit
          tandem help --man-pages ~/.local/share/man/man1

        Topics: \(HelpTopic.names).

        --man-pages FOLDER  write all help as manual pages to a folder
        """
    )

    static func main() { launch() }

    static func run(_ command: any Command.Type, _ arguments: Arguments) throws -> ExitCode {
        try UserConfiguration.take(for: command)
        do {
            return try command.run(arguments)
        } catch let fault as StoreFault where command.name != RelayCommand.name {
            // A relay's folder is not a store of to-dos.
            throw (try? DamagedStore(arguments))?.explained(fault) ?? fault
        } catch let fault as DeviceFault {
            throw (try? DamagedStore(arguments))?.explained(fault) ?? fault
        }
    }

    static func failure(_ error: any Error) -> CommandFailure { CommandFailure(error) }

    static func topic(_ word: String) -> String? {
        if let topic = HelpTopic(rawValue: word) { return "\(topic.summary)\n\n\(topic.help)\n" }
        let name = UserSetting.aliasPrefix + word
        guard command(word) == nil, let line = (try? UserConfiguration.read())?.line(name) else {
            return nil
        }
        return
            "Alias of this machine: tandem \(line)\nTo change it, run: tandem config \(name) LINE\n"
    }

    static func replacement(of words: [String]) throws -> [String]? {
        try UserConfiguration.replacement(of: words)
    }

    static let commandForWords: (any Command.Type)? = WordsCommand.self

    static func suggestion(for word: String, among candidates: [String]) -> String? {
        Spelling.suggestion(for: word, among: candidates)
    }

    /// The names of commands in other programs, which are no misspellings of ours.
    private static let names = [
        "modify": "edit", "mod": "edit", "denotate": "edit",
        "info": "show", "information": "show", "ls": "list", "new": "add", "rm": "delete",
        "remove": "delete", "complete": "done", "projects": "list --by project",
        "waiting": "list +WAITING", "ready": "list +READY", "search": "list WORD",
        "find": "list WORD", "grep": "list WORD", "next": "list",
    ]

    static func refusal(of word: String) -> CommandFailure? {
        if !word.isEmpty, word.allSatisfy(\.isNumber) {
            return CommandFailure(
                .usage,
                "'\(word)' is not a command. The command comes first, for example: tandem done \(word)"
            )
        }
        return names[word].map { meant in
            CommandFailure(
                .usage, "there is no command '\(word)'. In this program it is: tandem \(meant)")
        }
    }
}

/// Runs a command line in this process: the door for tests.
///
/// - Returns: the exit code, also that of a refusal.
package func runTandem(_ words: [String]) -> ExitCode {
    do {
        return try Tandem.run(words)
    } catch {
        return Tandem.failure(error).code
    }
}
