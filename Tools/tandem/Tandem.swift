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

    static func main() {
        Device.countNoMemory()
        launch()
    }

    static func run(_ command: any Command.Type, _ arguments: Arguments) throws -> ExitCode {
        AdvisedLine.take(arguments)
        try UserConfiguration.take(for: command)
        do {
            return try command.run(arguments)
        } catch {
            throw explained(error, of: command, arguments)
        }
    }

    /// An error of a command, with what can be done about it if it is about a damaged store.
    static func explained(
        _ error: any Error, of command: any Command.Type, _ arguments: Arguments
    ) -> any Error {
        switch error {
        // A relay's folder is not a store of to-dos.
        case let fault as StoreFault where command.name != RelayCommand.name:
            (try? DamagedStore(arguments))?.explained(fault) ?? fault
        case let fault as DeviceFault: (try? DamagedStore(arguments))?.explained(fault) ?? fault
        default: error
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
        if let line = try UserConfiguration.replacement(of: words) { return line }
        guard let first = words.first else { return nil }
        if ForeignCommand.meanings[first] != nil, hasView(first) {
            return [ViewCommand.name] + words
        }
        if let refusal = UndoCommand.refusal(behindNames: words) { throw refusal }
        guard let line = ForeignLine(words) else { return nil }
        if line.onlyReads { return line.words }
        throw line.refusal(of: words)
    }

    static func check(_ words: [String]) throws {
        AdvisedLine.take(typed: words)
        try ForeignOptions.check(commandFirst(words))
    }

    /// A line with the options in front of the command behind it, if they are those of every command.
    private static func commandFirst(_ words: [String]) -> [String] {
        guard words.first?.hasPrefix("--") ?? false else { return words }
        var rest = words[...]
        while let first = rest.first, first.hasPrefix("--"), first != "--" {
            let (name, value) = Arguments.parts(ofOption: first)
            let takesValue = commonValues.contains(name)
            guard takesValue || commonFlags.contains(name) else { break }
            rest = rest.dropFirst(takesValue && value == nil ? 2 : 1)
        }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return Array(rest[..<end] + words[..<rest.startIndex] + rest[end...])
    }

    /// Whether a view of the user's own has the name, which then hides a command of another program.
    private static func hasView(_ name: String) -> Bool {
        guard let folder = try? CommandContext.folder(option: nil),
            let views = ToDoGlance(folder: folder)?.views(prefix: name)
        else { return false }
        return views.contains(SavedView.key(name))
    }

    static let commandForWords: (any Command.Type)? = WordsCommand.self

    static func suggestion(for word: String, among candidates: [String]) -> String? {
        Spelling.suggestion(for: word, among: candidates)
    }

    static func refusal(of word: String) -> CommandFailure? {
        if !word.isEmpty, word.allSatisfy(\.isNumber) {
            return CommandFailure(
                .usage,
                "'\(word)' is not a command. The command comes first, for example: \(AdvisedLine.program) show \(word)"
            )
        }
        return ForeignCommand.meanings[word].map { meaning in
            let line = meaning.line.joined(separator: " ")
            return CommandFailure(
                .usage,
                "there is no command '\(word)'. In this program it is: \(AdvisedLine.program) \(line)"
            )
        }
    }
}

/// The names of the commands of the overview, for tests.
package var overviewCommandNames: [String] { Tandem.commands.map { $0.name } }

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
