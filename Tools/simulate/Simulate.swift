import Simulation
import Storage
import Terminal
import ToDo

/// `simulate`: the sync engine in made-up worlds, from scenarios, from seeds, or all small ones.
@main
struct Simulate: Program {
    static let name = "simulate"
    static let version = "0.1.0"

    static let commands: [any Command.Type] = [
        RunCommand.self, ExploreCommand.self, ExhaustCommand.self, HashesCommand.self,
        VersionCommand<Simulate>.self, HelpCommand<Simulate>.self,
    ]
    static let commonOptions: [HelpBlock.Definition] = [
        .init("--json", "print the result as JSON"),
        .init("--help", "explain the command"),
    ]
    static let codeWithoutCommand = ExitCode.usage

    static let aboutHelp = (
        summary: "Explain a command, the scenario language or the exit codes",
        help: """
          simulate help
          simulate help explore
          simulate help language
          simulate help exit
          simulate help --man-pages ~/.local/share/man/man1

          --man-pages FOLDER  write all help as a manual page to a folder
        """
    )

    static func main() {
        DatabaseSystem.settleMemory()
        launch()
    }

    static func suggestion(for word: String, among candidates: [String]) -> String? {
        Spelling.suggestion(for: word, among: candidates)
    }

    /// The first things to type.
    private static let examples = """
          simulate run milk.scenario --diagram milk.html
          simulate explore --seed 1 --for 60
          simulate exhaust --depth 3
        """

    static var overview: String {
        let width = commands.map { $0.name.count }.max() ?? 0
        let lines = commands.map { "  \(Cells.padded($0.name, to: width))  \($0.summary)" }
        return """
            Test the sync engine on simulated devices, disks, networks and clocks.

            \(examples)

            \(lines.joined(separator: "\n"))

            To learn more, run: simulate help COMMAND. COMMAND may also be language (how
            scenarios are written) or exit (the exit codes).

            """
    }
}

// MARK: Help

extension Simulate {
    static func topic(_ word: String) -> String? {
        switch word {
        case "language": language
        case "exit": "Exit codes\n\n" + SimulatorEnding.text
        default: nil
        }
    }

    /// Every form of a line, with what it says and an example; then what can stand in its slots.
    private static var language: String {
        var lines = [
            "A scenario is a text with one step a line. `#` begins a comment.", "",
        ]
        for (topic, forms) in ScenarioWords.lines {
            lines.append(topic)
            for form in forms {
                lines.append("  " + form.words)
                lines.append("      \(form.meaning)")
                lines.append("      \(form.example)")
            }
            lines.append("")
        }
        lines.append("How a step may begin and end")
        for (words, meaning) in ScenarioWords.beginnings + ScenarioWords.endings {
            lines.append("  " + words)
            lines.append("      \(meaning)")
        }
        for (title, rows) in ScenarioWords.tables {
            lines += ["", title]
            for (words, meaning) in rows {
                lines.append("  " + words)
                lines.append("      \(meaning)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One page for all commands.
    static var pages: [ManualPage] {
        let blocks = commands.flatMap { command -> [HelpBlock] in
            [.prose("`simulate \(command.name)`: \(command.summary).")]
                + HelpBlock.blocks(of: command.help)
        }
        let page = ManualPage(
            "simulate", 1, "test the sync engine of Tandem in a simulated environment",
            calls: ["simulate COMMAND [OPTION...] [FILE...]"],
            sections: [
                .init("EXAMPLES", HelpBlock.blocks(of: examples)),
                .init(
                    "DESCRIPTION",
                    [
                        .prose(
                            "Runs scenarios of several devices with the real engine. Disks, networks "
                                + "and clocks are simulated and fail at random. Each run ends with a "
                                + "verdict: every promise was kept, or the first that was broken. "
                                + "`simulate help language` lists the steps of a scenario.")
                    ]),
                .init("COMMANDS", blocks),
                .init("OPTIONS", [.definitions(commonOptions)]),
                .init("EXIT STATUS", HelpBlock.blocks(of: SimulatorEnding.text)),
            ], others: [("tandem", 1)])
        return [page]
    }
}
