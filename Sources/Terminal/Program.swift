import Glibc

/// One command of a program.
package protocol Command: SendableMetatype {
    /// Its name.
    static var name: String { get }
    /// The purpose: an imperative of at most 60 characters.
    static var summary: String { get }
    /// Examples, an explanation, and the options.
    static var help: String { get }
    /// The options that take a value.
    static var values: [String] { get }
    /// The options that take none.
    static var flags: [String] { get }
    /// Whether `--` stays among the words.
    static var keepsSeparator: Bool { get }
    /// Runs the command.
    static func run(_ arguments: Arguments) throws -> ExitCode
}

extension Command {
    /// No options with a value.
    package static var values: [String] { [] }
    /// No flags.
    package static var flags: [String] { [] }
    /// No `--` among the words.
    package static var keepsSeparator: Bool { false }
}

/// A word that stands for a command with this word as its first argument: `today` for `view today`.
package struct Shorthand: Sendable {
    /// The word.
    package let word: String
    /// The purpose: an imperative of at most 60 characters.
    package let summary: String
    /// The command that it stands for.
    package let command: any Command.Type

    /// A word for a command.
    package init(_ word: String, _ summary: String, for command: any Command.Type) {
        self.word = word
        self.summary = summary
        self.command = command
    }
}

/// A program whose first word names a command.
///
/// A program states its commands and texts; parsing, help, refusals and the end of the process are the same for
/// all programs.
package protocol Program: SendableMetatype {
    /// The name that a person types.
    static var name: String { get }
    /// The version, as `1.2.3`.
    static var version: String { get }
    /// The commands for people, in the order of the help.
    static var commands: [any Command.Type] { get }
    /// The commands for other programs, which no list shows.
    static var hiddenCommands: [any Command.Type] { get }
    /// The words that stand for a command.
    static var shorthands: [Shorthand] { get }
    /// The options that every command has.
    static var commonOptions: [HelpBlock.Definition] { get }
    /// Whether words may begin with one hyphen; else that begins an option too.
    static var allowsHyphenWords: Bool { get }
    /// The exit code if the command line names no command.
    static var codeWithoutCommand: ExitCode { get }
    /// The text that is shown without a command.
    static var overview: String { get }
    /// Summary and help of the command `help`.
    static var aboutHelp: (summary: String, help: String) { get }
    /// The manual pages.
    static var pages: [ManualPage] { get }

    /// The text about a topic that help explains beside commands; nil if there is no such topic.
    static func topic(_ word: String) -> String?
    /// The refusal of a word that is no command, if the program knows better than its spelling.
    static func refusal(of word: String) -> CommandFailure?
    /// The line that a line stands for which is empty or begins with no command; nil if it stands for itself.
    static func replacement(of words: [String]) throws -> [String]?
    /// Refuses a whole line that is told in the way of another program, and says what to type.
    static func check(_ words: [String]) throws
    /// The command for a line whose first word names none, and is near to no name; nil if that is refused.
    static var commandForWords: (any Command.Type)? { get }
    /// The candidate that a misspelled word is nearest to; nil if none is near.
    static func suggestion(for word: String, among candidates: [String]) -> String?
    /// Runs a command.
    static func run(_ command: any Command.Type, _ arguments: Arguments) throws -> ExitCode
    /// The failure that an error of any module stands for.
    static func failure(_ error: any Error) -> CommandFailure
}

extension Program {
    /// No hidden commands.
    package static var hiddenCommands: [any Command.Type] { [] }
    /// No shorthands.
    package static var shorthands: [Shorthand] { [] }
    /// Words do not begin with a hyphen.
    package static var allowsHyphenWords: Bool { false }
    /// Without a command the program shows its overview and succeeds.
    package static var codeWithoutCommand: ExitCode { .ok }
    /// Nothing better is known than the spelling.
    package static func refusal(of word: String) -> CommandFailure? { nil }

    /// Every line stands for itself.
    package static func replacement(of words: [String]) throws -> [String]? { nil }

    /// Every line is taken.
    package static func check(_ words: [String]) throws {}

    /// Words that name no command are refused.
    package static var commandForWords: (any Command.Type)? { nil }

    /// Runs the command with no more ado.
    package static func run(
        _ command: any Command.Type, _ arguments: Arguments
    ) throws -> ExitCode {
        try command.run(arguments)
    }

    /// A refusal as it is; anything else is a defect of the program.
    package static func failure(_ error: any Error) -> CommandFailure {
        error as? CommandFailure ?? CommandFailure(.software, "\(error)")
    }
}

// MARK: The command table

extension Program {
    /// The options that every command has and that take a value.
    package static var commonValues: [String] { common { $0.value != nil } }
    /// The options that every command has and that take no value.
    package static var commonFlags: [String] { common { $0.value == nil } }

    private static func common(_ isWanted: (OptionHelp) -> Bool) -> [String] {
        commonOptions.compactMap { OptionHelp($0) }.filter(isWanted).flatMap(\.names)
            .map { String($0.dropFirst(2)) }
    }

    /// The words that a command line may begin with, and what they do.
    package static var words: [(word: String, summary: String)] {
        commands.map { ($0.name, $0.summary) } + shorthands.map { ($0.word, $0.summary) }
    }

    /// The command that the first word of a command line means; nil if there is none.
    package static func command(_ word: String) -> (any Command.Type)? {
        shorthands.first { $0.word == word }?.command
            ?? (commands + hiddenCommands).first { $0.name == word }
    }

    /// The command that a word means in other programs; nil for any other word.
    private static func synonym(of word: String) -> String? {
        switch word {
        case "-h", "--help": "help"
        case "--version": "version"
        default: nil
        }
    }

    /// The command of a line, and whether it takes the first word with the others.
    private static func find(
        first word: String
    ) throws(CommandFailure) -> (command: any Command.Type, takesAll: Bool) {
        let known = synonym(of: word) ?? word
        if shorthands.contains(where: { $0.word == word }) { return (try find(known), true) }
        if let command = commandForWords, self.command(known) == nil, refusal(of: word) == nil,
            !word.hasPrefix("--"), suggestion(for: word, among: words.map(\.word)) == nil
        {
            return (command, true)
        }
        return (try find(known), false)
    }

    private static func find(_ word: String) throws(CommandFailure) -> any Command.Type {
        if let command = command(word) { return command }
        if let refusal = refusal(of: word) { throw refusal }
        let meant = suggestion(for: word, among: words.map(\.word))
        throw CommandFailure(
            .usage,
            "there is no command '\(word)'." + (meant.map { " Did you mean '\($0)'?" } ?? "")
                + " To see all commands, run: \(name) help")
    }

    private static func beginsWithCommand(_ line: ArraySlice<String>) -> Bool {
        guard let word = line.first else { return false }
        let known = synonym(of: word) ?? word
        return command(known) != nil
    }

    /// Runs the command that a command line names.
    package static func run(_ words: [String]) throws -> ExitCode {
        try check(words)
        // Options that every command has may stand before its name.
        var rest = words[...]
        var early: [String] = []
        while let first = rest.first, first.hasPrefix("--"), first != "--",
            synonym(of: first) == nil
        {
            early.append(rest.removeFirst())
            if commonValues.contains(String(first.dropFirst(2))), let value = rest.popFirst() {
                early.append(value)
            }
        }
        // A line that is told instead has them as well.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        let whole = rest.isEmpty ? [] : rest[..<end] + early + rest[end...]
        if !beginsWithCommand(rest), let line = try replacement(of: Array(whole)) {
            rest = line[...]
        }
        guard let word = rest.first else {
            show(overview)
            return early.isEmpty ? codeWithoutCommand : .usage
        }
        let (command, takesAll) = try find(first: word)
        let line = early + (takesAll ? rest : rest.dropFirst())
        let arguments = try Arguments(line, of: command, in: self)
        if arguments.has("help") {
            show(page(of: command))
            return .ok
        }
        return try run(command, arguments)
    }

    /// Runs the program with the words of its command line, and ends the process.
    package static func launch() -> Never {
        signal(SIGPIPE, SIG_IGN)
        Screen.program = name
        do {
            let code = try run(TextEncoding.commandLine())
            Screen.flush()
            exit(code.rawValue)
        } catch {
            Screen.flush()
            let failure = Self.failure(error)
            Screen.error("\(name): \(failure.message)\n")
            exit(failure.code.rawValue)
        }
    }
}

// MARK: Help

extension Program {
    /// The help on a command or a topic; without a word the overview.
    package static func help(_ word: String?) throws(CommandFailure) -> String {
        guard let word else { return overview }
        if let text = topic(word) { return text }
        return page(of: try find(word))
    }

    private static func page(of command: any Command.Type) -> String {
        let terms = commonOptions.map(\.term)
        let options = terms.dropLast().joined(separator: ", ") + " and " + (terms.last ?? "")
        return "\(command.summary)\n\n\(command.help)\n\nEvery command takes \(options).\n"
    }

    /// Writes a help text, broken where the screen ends.
    package static func show(_ help: String) {
        Screen.write(HelpLayout.fitted(help, to: Screen.width ?? HelpLayout.standardWidth))
    }
}

/// A parsed command line: words, options with a value, and flags.
///
/// Options stand before or after words; `--` ends them. In a program that allows it, words may begin with one
/// hyphen, as `-tag`; in any other, `-name` is the option `--name`.
package struct Arguments: Sendable {
    /// The words that are neither option nor value, with everything after `--`, and `--` itself for a command
    /// that keeps it.
    package private(set) var words: [String] = []
    /// Few, and in an array: for the first dictionary the runtime searches the conformances of the whole program.
    private var values: [(name: String, value: String)] = []
    private var flags: [String] = []
    /// The program, as a person types it after `help`.
    private let program: String
    /// The name of the command.
    package let command: String

    /// Parses what stands behind the name of a command.
    package init(
        _ line: some Sequence<String>, of command: any Command.Type, in program: any Program.Type
    ) throws(CommandFailure) {
        self.program = program.name
        self.command = command.name
        let valueNames = command.values + program.commonValues
        let flagNames = command.flags + program.commonFlags
        var rest = Array(line)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                if command.keepsSeparator { words.append(word) }
                words.append(contentsOf: rest)
                break
            }
            if word == "-h" {
                flags.append("help")
                continue
            }
            guard Self.isOption(word, in: program) else {
                words.append(word)
                continue
            }
            let (name, given) = Self.parts(ofOption: word)
            if flagNames.contains(name) {
                if given != nil { throw refusal("--\(name) takes no value.") }
                flags.append(name)
            } else if valueNames.contains(name) {
                guard let value = given ?? rest.popFirst() else {
                    throw refusal("--\(name) needs a value.")
                }
                values.append((name, value))
            } else {
                let meant = program.suggestion(for: name, among: valueNames + flagNames)
                throw refusal(
                    "there is no option --\(name) of \(program.name) \(command.name)."
                        + (meant.map { " Did you mean --\($0)?" } ?? ""))
            }
        }
    }

    private static func isOption(_ word: String, in program: any Program.Type) -> Bool {
        program.allowsHyphenWords ? word.hasPrefix("--") : word.hasPrefix("-") && word != "-"
    }

    /// The name of `--name` or `--name=value`, and the value if there is one.
    package static func parts(ofOption word: String) -> (name: String, value: String?) {
        let body = word.hasPrefix("--") ? word.dropFirst(2) : word.dropFirst()
        guard let cut = body.firstIndex(of: "=") else { return (String(body), nil) }
        return (String(body[..<cut]), String(body[body.index(after: cut)...]))
    }

    /// A refusal with the next step.
    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure(.usage, "\(reason) To see its use, run: \(program) help \(command)")
    }

    /// The options, each with its value behind an equals sign.
    package var options: [String] {
        values.map { "--\($0.name)=\($0.value)" } + flags.map { "--" + $0 }
    }

    /// The value of an option: of several the last.
    package subscript(name: String) -> String? { values.last { $0.name == name }?.value }

    /// Whether a flag was given.
    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Refuses words where a command takes none.
    package func refuseWords() throws(CommandFailure) {
        if let word = words.first {
            throw refusal("'\(word)' is not expected here.")
        }
    }

    /// The whole number of an option; nil if it was not given.
    package func number(
        _ name: String, in range: ClosedRange<Int>
    ) throws(CommandFailure) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFailure(
                .usage,
                "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), "
                    + "not '\(text)'")
        }
        return number
    }
}
