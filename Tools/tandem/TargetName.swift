import Terminal
import ToDo

/// The first word behind a command that changes a to-do, where the words behind it may be more words of its title, or the
/// title of another one.
struct TargetName {
    private let command: String
    private let word: String
    private let stored: Record
    private let context: CommandContext

    /// Nil if the word means several to-dos, a filter or a whole id, or if `--` says that the rest is text.
    init?(
        _ command: String, _ arguments: Arguments, _ target: (found: [Record], isByFilter: Bool),
        _ context: CommandContext
    ) {
        guard let word = arguments.words.first, !arguments.words.contains("--"),
            !target.isByFilter, target.found.count == 1,
            target.found[0].id.hexadecimal != word.lowercased().filter({ $0 != "-" })
        else { return nil }
        self.command = command
        self.word = word
        stored = target.found[0]
        self.context = context
    }

    private var isEdit: Bool { command == EditCommand.name }

    /// Refuses a text that a hand may have typed as a part of the name.
    func refuseIfLonger(by text: String) throws {
        let title = ToDoMapping.item(stored).title
        let isQuoted = word.contains(where: \.isWhitespace)
        if isByTitle, title.lowercased() != word.lowercased(), isEdit || !isQuoted {
            throw refusal(text, of: title)
        }
        // By its number or its whole title it is named for sure; the rest may still name another one.
        guard isEdit || isByTitle else { return }
        if isByTitle, let other = try other(titled: "\(word) \(text)") {
            throw refusal(text, naming: other, isWhole: true)
        }
        if let other = try other(titled: text) {
            throw refusal(text, naming: other, isWhole: false)
        }
    }

    /// The words that the text would be, and the line that makes it that.
    private func refusal(_ text: String, of title: String) -> CommandFailure {
        let (shown, name) = (text.shownInLine, context.name(of: stored))
        let effect =
            switch command {
            case AppendCommand.name: "'\(shown)' would be put behind '\(title.shownInLine)'"
            case PrependCommand.name: "'\(shown)' would be put in front of '\(title.shownInLine)'"
            case AnnotateCommand.name:
                "'\(shown)' would be a line in the notes of '\(title.shownInLine)'"
            default: "'\(shown)' would be the title of '\(title.shownInLine)'"
            }
        return CommandFailure(
            .usage,
            "\(effect); for that: tandem \(command) \(name) \(text.shellQuoted)"
                + (longer(by: text, in: title).map { "; to name it by more words: \($0)" } ?? ""))
    }

    /// The line with the words of the text that stand in the title, too, as a part of the name; nil if none does.
    private func longer(by text: String, in title: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        let title = title.lowercased()
        let more = words.prefix { title.contains($0.lowercased()) }
        if more.isEmpty { return nil }
        let name = ([word[...]] + more).joined(separator: " ").shellQuoted
        let rest = words.dropFirst(more.count).joined(separator: " ")
        let change = isEdit ? "due:monday" : rest.isEmpty ? "WORDS" : rest.shellQuoted
        return "tandem \(command) \(name) \(change)"
    }

    private func refusal(
        _ text: String, naming other: Record, isWhole: Bool
    ) -> CommandFailure {
        let (name, another) = (context.name(of: stored), context.name(of: other))
        let meant = isWhole ? another : "\(name),\(another)"
        let both =
            "for \(isWhole ? "that one" : "both"): tandem \(command) \(meant) \(isEdit ? "due:monday" : "WORDS")"
        let alone =
            isEdit
            ? "for that title: tandem edit \(name) title:\(text.shellQuoted)"
            : "for that text: tandem \(command) \(name) \(text.shellQuoted)"
        return CommandFailure(
            .usage,
            "'\(other.shownTitle)' is a to-do of its own (\(another)), and nothing was changed; \(both); \(alone)"
        )
    }

    /// Another pending to-do whose whole title a text is.
    private func other(titled text: String) throws -> Record? {
        guard let found = try context.naming.pending(exactlyTitled: text), found.id != stored.id
        else { return nil }
        return found
    }

    /// Whether the word names the to-do as a part of its title, and neither by its number nor by its id.
    private var isByTitle: Bool {
        let id = stored.id.hexadecimal
        return switch ToDoName.read([word]).first {
        case .title: true
        case .digits(let digits, _): !id.hasPrefix(digits) && !id.hasSuffix(digits)
        case .numbers, .latest, .noNumber, .incomplete, .empty, nil: false
        }
    }
}
