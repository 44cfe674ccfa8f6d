import Terminal
import Testing

/// A program with one command of each kind.
private enum Kitchen: Program {
    static let name = "kitchen"
    static let version = "1.2.3"
    static let commands: [any Command.Type] = [
        Cook.self, Serve.self, VersionCommand<Kitchen>.self, HelpCommand<Kitchen>.self,
    ]
    static let hiddenCommands: [any Command.Type] = [Clean.self]
    static let shorthands = [Shorthand("soup", "Cook soup", for: Cook.self)]
    static let commonOptions: [HelpBlock.Definition] = [
        .init("--json", "print the result as JSON"), .init("--stove NUMBER", "use this stove"),
        .init("--help", "explain the command"),
    ]
    static let allowsHyphenWords = true
    static let overview = "Cooks.\n"
    static let aboutHelp = (summary: "Explain a command", help: "  kitchen help cook")
    static let pages: [ManualPage] = []

    static func topic(_ word: String) -> String? { word == "exit" ? "Exit codes\n" : nil }

    static func refusal(of word: String) -> CommandFailure? {
        word == "fry" ? CommandFailure(.refused, "no fat") : nil
    }

    static func check(_ words: [String]) throws {
        if words.contains("--flambé") { throw CommandFailure(.usage, "no fire") }
    }

    static func suggestion(for word: String, among candidates: [String]) -> String? {
        candidates.first { $0.first == word.first }
    }
}

private enum Cook: Command {
    static let name = "cook"
    static let summary = "Cook a meal"
    static let help = "  kitchen cook soup"
    static let values = ["for"]
    static let flags = ["spicy"]

    /// Ends with the number of words, and a hundred more for `--spicy`.
    static func run(_ arguments: Arguments) throws -> ExitCode {
        ExitCode(rawValue: Int32(arguments.words.count) + (arguments.has("spicy") ? 100 : 0))
    }
}

private enum Serve: Command {
    static let name = "serve"
    static let summary = "Serve a meal"
    static let help = "  kitchen serve"
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode { .ok }
}

private enum Clean: Command {
    static let name = "clean"
    static let summary = "Clean the table"
    static let help = "  kitchen clean"

    static func run(_ arguments: Arguments) throws -> ExitCode { .nothing }
}

extension ExitCode {
    fileprivate static let nothing = ExitCode(rawValue: 1)
}

/// A program with one hyphen as good as two.
private enum Plain: Program {
    static let name = "plain"
    static let version = "1"
    static let commands: [any Command.Type] = [Cook.self]
    static let commonOptions: [HelpBlock.Definition] = [.init("--help", "explain the command")]
    static let codeWithoutCommand = ExitCode.usage
    static let overview = ""
    static let aboutHelp = (summary: "", help: "")
    static let pages: [ManualPage] = []

    static func topic(_ word: String) -> String? { nil }
    static func suggestion(for word: String, among candidates: [String]) -> String? { nil }
}

@Suite("Command lines")
struct ArgumentsTests {
    private func parse(
        _ line: String..., as command: any Command.Type = Cook.self,
        in program: any Program.Type = Kitchen.self
    ) throws -> Arguments {
        try Arguments(line, of: command, in: program)
    }

    private func refusal(
        _ line: String..., in program: any Program.Type = Kitchen.self
    ) -> String? {
        do throws(CommandFailure) {
            _ = try Arguments(line, of: Cook.self, in: program)
            return nil
        } catch {
            #expect(error.code == .usage)
            return error.message
        }
    }

    @Test("options stand before or after words, with the value behind a blank or an equals sign")
    func options() throws {
        let arguments = try parse("rice", "--for", "two", "--spicy", "--stove=3=4", "beans")
        #expect(arguments.words == ["rice", "beans"])
        #expect(arguments["for"] == "two")
        #expect(arguments["stove"] == "3=4")
        #expect(arguments.has("spicy"))
        #expect(!arguments.has("json"))
        #expect(arguments["json"] == nil)
        #expect(try parse("--for=")["for"] == "")
        #expect(try parse("--for", "--spicy")["for"] == "--spicy")
        #expect(try parse("--for", "one", "--for", "two")["for"] == "two")
    }

    @Test("two hyphens end the options, and stay among the words only of a command that keeps them")
    func separator() throws {
        #expect(try parse("a", "--", "--spicy", "--").words == ["a", "--spicy", "--"])
        #expect(try parse("a", "--", "--x", as: Serve.self).words == ["a", "--", "--x"])
    }

    @Test("one hyphen begins a word where the program allows it, else an option")
    func hyphens() throws {
        #expect(try parse("-salt", "-").words == ["-salt", "-"])
        #expect(try parse("-spicy", "-", in: Plain.self).has("spicy"))
        #expect(try parse("-for=two", in: Plain.self)["for"] == "two")
        #expect(try parse("-", in: Plain.self).words == ["-"])
        #expect(try parse("-h").has("help"))
        #expect(try parse("-h", in: Plain.self).has("help"))
    }

    @Test("a refusal names the option, the command and the next step")
    func refusals() {
        let use = " To see its use, run: kitchen help cook"
        #expect(refusal("--for") == "--for needs a value." + use)
        #expect(refusal("--spicy=very") == "--spicy takes no value." + use)
        #expect(
            refusal("--salty")
                == "there is no option --salty of kitchen cook. Did you mean --stove?" + use)
        #expect(refusal("--x") == "there is no option --x of kitchen cook." + use)
        #expect(
            refusal("-x", in: Plain.self)
                == "there is no option --x of plain cook. To see its use, run: plain help cook")
    }

    @Test("a number outside of its range, and a word where none is taken, are refused")
    func values() throws {
        #expect(try parse("--for", "3").number("for", in: 1...3) == 3)
        #expect(try parse().number("for", in: 1...3) == nil)
        for text in ["0", "4", "three", ""] {
            let arguments = try parse("--for", text)
            #expect(
                throws: CommandFailure(.usage, "--for takes a number from 1 to 3, not '\(text)'")
            ) { try arguments.number("for", in: 1...3) }
        }
        let arguments = try parse("rice")
        #expect(
            throws: CommandFailure(
                .usage, "'rice' is not expected here. To see its use, run: kitchen help cook")
        ) { try arguments.refuseWords() }
    }
}

@Suite("Programs")
struct ProgramTests {
    @Test("common options may stand before the command")
    func earlyOptions() throws {
        #expect(try Kitchen.run(["--json", "--stove", "cook", "cook", "a", "b"]).rawValue == 2)
        #expect(try Kitchen.run(["--stove=2", "cook", "--spicy"]).rawValue == 100)
        #expect(throws: CommandFailure.self) { try Kitchen.run(["--salty", "cook"]) }
    }

    @Test("a shorthand runs its command with itself as the first word")
    func shorthand() throws {
        #expect(try Kitchen.run(["soup", "hot"]).rawValue == 2)
        #expect(try Kitchen.run(["cook", "hot"]).rawValue == 1)
        #expect(try Kitchen.run(["clean"]) == .nothing)
    }

    @Test("a line that the program refuses as a whole is refused before its options are read")
    func wholeLine() throws {
        #expect(throws: CommandFailure(.usage, "no fire")) {
            try Kitchen.run(["cook", "--flambé", "soup"])
        }
        #expect(try Kitchen.run(["cook", "soup"]).rawValue == 1)
    }

    @Test("an unknown command is refused in the program's words, else with the nearest command")
    func unknown() {
        #expect(throws: CommandFailure(.refused, "no fat")) { try Kitchen.run(["fry"]) }
        let all = " To see all commands, run: kitchen help"
        #expect(
            throws: CommandFailure(
                .usage, "there is no command 'sup'. Did you mean 'serve'?" + all)
        ) { try Kitchen.run(["sup"]) }
        #expect(throws: CommandFailure(.usage, "there is no command 'x'." + all)) {
            try Kitchen.help("x")
        }
    }

    @Test("lists show the commands for people and the shorthands, and hidden commands run")
    func words() {
        #expect(Kitchen.words.map(\.word) == ["cook", "serve", "version", "help", "soup"])
        #expect(Kitchen.command("clean") != nil)
        #expect(Kitchen.command("soup")?.name == "cook")
        #expect(Kitchen.command("--help") == nil)
        #expect(Kitchen.commonValues == ["stove"])
        #expect(Kitchen.commonFlags == ["json", "help"])
    }

    @Test("help explains a topic, a command with the common options, or everything")
    func help() throws {
        #expect(try Kitchen.help(nil) == "Cooks.\n")
        #expect(try Kitchen.help("exit") == "Exit codes\n")
        #expect(
            try Kitchen.help("cook") == """
                Cook a meal

                  kitchen cook soup

                Every command takes --json, --stove NUMBER and --help.

                """)
        #expect(try Kitchen.help("soup") == Kitchen.help("cook"))
        #expect(VersionCommand<Kitchen>.help == "  kitchen version")
    }

    @Test("a refusal keeps its exit code, any other error is a defect of the program")
    func failures() {
        #expect(
            Kitchen.failure(CommandFailure(.badData, "sour"))
                == CommandFailure(.badData, "sour"))
        struct Fire: Error {}
        #expect(Kitchen.failure(Fire()).code == .software)
    }
}
