import JSON
import Simulation
import Storage
import Terminal

/// Explains commands and the language of scenarios.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "Explain a command, the scenario language or the exit codes"
    static let help = """
          simulate help
          simulate help explore
          simulate help language
          simulate help exit
          simulate help --man-pages ~/.local/share/man/man1

          --man-pages FOLDER  write all help as a manual page to a folder
        """
    static let values = ["man-pages"]

    static func run(_ arguments: Arguments) throws -> Int32 {
        if let folder = arguments["man-pages"] {
            try arguments.refuseWords()
            do {
                _ = try ManualShelf.write(
                    [Manual.page], into: folder, product: "simulate \(CommandTable.version)")
            } catch {
                throw CommandFailure(ExitCode.cannotCreate, error.description)
            }
            return ExitCode.ok
        }
        let text =
            switch arguments.words.first {
            case "language": language
            case "exit": "Exit codes\n\n" + ExitCode.text
            case let topic: try CommandTable.help(topic)
            }
        if arguments.has("json") {
            Terminal.line(JSONValue.named([("help", .text(text))]))
        } else {
            CommandTable.show(text)
        }
        return ExitCode.ok
    }

    /// Every form of a line, with what it says and an example; then what can stand in its slots.
    private static var language: String {
        var lines = [
            "A scenario is a text with one step a line. `#` begins a comment.", "",
        ]
        for (topic, forms) in ScenarioWords.lines {
            lines.append(Terminal.bold(topic))
            for form in forms {
                lines.append("  " + form.words)
                lines.append(Terminal.faint("      \(form.meaning)"))
                lines.append(Terminal.faint("      \(form.example)"))
            }
            lines.append("")
        }
        lines.append(Terminal.bold("How a step may begin and end"))
        for (words, meaning) in ScenarioWords.beginnings + ScenarioWords.endings {
            lines.append("  " + words)
            lines.append(Terminal.faint("      \(meaning)"))
        }
        for (title, rows) in ScenarioWords.tables {
            lines += ["", Terminal.bold(title)]
            for (words, meaning) in rows {
                lines.append("  " + words)
                lines.append(Terminal.faint("      \(meaning)"))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
