import Simulation
import Terminal
import ToDo

/// All commands, in the order of the help.
enum CommandTable {
    /// The version of the program.
    static let version = "0.1.0"

    /// All commands.
    static let commands: [any Command.Type] =
        [
            RunCommand.self, ExploreCommand.self, ExhaustCommand.self, HashesCommand.self,
            VersionCommand.self, HelpCommand.self,
        ]

    private static let synonyms = ["-h": "help", "--help": "help", "--version": "version"]

    /// Runs the command that a command line names; returns the exit code.
    static func run(_ words: [String]) throws -> Int32 {
        guard let name = words.first else {
            show(overview)
            return ExitCode.usage
        }
        let command = try find(synonyms[name] ?? name)
        let arguments = try Arguments(
            Array(words.dropFirst()), of: command.name, values: command.values, flags: command.flags
        )
        if arguments.has("help") {
            show(page(command))
            return ExitCode.ok
        }
        return try command.run(arguments)
    }

    private static func find(_ name: String) throws -> any Command.Type {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let guess = Spelling.suggestion(for: name, among: commands.map { $0.name })
        throw CommandFailure(
            ExitCode.usage,
            "there is no command '\(name)'." + (guess.map { " Did you mean '\($0)'?" } ?? "")
                + " To see all commands, run: simulate help")
    }

    /// The use and syntax of a command; without a name, all commands.
    static func help(_ name: String?) throws -> String {
        try name.map { page(try find($0)) } ?? overview
    }

    private static func page(_ command: any Command.Type) -> String {
        "\(command.summary)\n\n\(command.help)\n\nEvery command takes --json and --help.\n"
    }

    /// Writes a help text, broken where a narrow screen ends.
    static func show(_ help: String) {
        Terminal.write(HelpLayout.fitted(help, to: Terminal.width ?? HelpLayout.standardWidth))
    }

    /// The first things to type.
    static let examples = """
          simulate run milk.scenario --diagram milk.html
          simulate explore --seed 1 --for 60
          simulate exhaust --depth 3
        """

    private static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.name.count)
            return "  \(command.name)\(padding)  \(command.summary)"
        }
        return """
            Test the sync engine on simulated devices, disks, networks and clocks.

            \(examples)

            \(lines.joined(separator: "\n"))

            To learn more, run: simulate help COMMAND. COMMAND may also be language (how
            scenarios are written) or exit (the exit codes).

            """
    }
}
