import Simulation
import Storage

/// Explains commands and the language of stories.
enum HelpCommand: Command {
    static let name = "help"
    static let summary = "explains a command, or the language of stories"
    static let help = """
          simulate help
          simulate help explore
          simulate help language
        """

    static func run(_ arguments: Arguments) throws -> Int32 {
        let topic = arguments.words.first
        let text = topic == "language" ? language : try CommandTable.help(topic)
        if arguments.has("json") {
            Terminal.line(JSON.object([("help", JSONText.string(text))]))
        } else {
            Terminal.write(text)
        }
        return ExitCode.ok
    }

    /// Every form of a line, with what it says and an example.
    private static var language: String {
        var lines = [
            "A story is a text, one step a line. `#` begins a remark.", "",
        ]
        for (topic, forms) in StoryWords.lines {
            lines.append(Terminal.bold(topic))
            for form in forms {
                lines.append("  " + form.words)
                lines.append(Terminal.faint("      \(form.meaning)"))
                lines.append(Terminal.faint("      \(form.example)"))
            }
            lines.append("")
        }
        lines.append(Terminal.bold("How a step may begin and end"))
        for (words, meaning) in StoryWords.beginnings + StoryWords.endings {
            lines.append("  " + words)
            lines.append(Terminal.faint("      \(meaning)"))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
