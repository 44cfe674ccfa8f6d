import Terminal
import ToDo

/// The first word behind a command that changes a to-do, where the words behind it may be more words of its title, or the
/// title of another one.
struct TargetName {
    private let command: String
    private let word: String
    /// The words behind it.
    private let rest: [String]
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
        rest = Array(arguments.words.dropFirst())
        stored = target.found[0]
        self.context = context
    }

    private var isEdit: Bool { command == EditCommand.name }

    /// Refuses a text that a hand may have typed as a part of the name, or that names another to-do.
    func refuseIfLonger(by text: String) throws {
        let title = ToDoMapping.item(stored).title
        let isQuoted = word.contains(where: \.isWhitespace)
        let typed = TypedText(text, in: rest)
        if isByTitle, title.lowercased() != word.lowercased(), isEdit || !isQuoted {
            throw refusal(text, typed, of: title)
        }
        // By its number or its whole title it is named for sure; the rest may still name another one.
        guard isEdit || isByTitle else { return }
        let words = typed.textWords
        if isByTitle, let other = try other(titled: "\(word) \(text)") {
            throw refusal(text, typed, naming: other, by: words.count)
        }
        if let other = try other(titled: text) {
            throw refusal(text, typed, naming: other, by: nil)
        }
        if isByTitle,
            let longer = try context.naming.longerTitle(than: word, by: words, besides: stored.id)
        {
            throw refusal(text, typed, naming: longer.record, by: longer.wordCount)
        }
    }

    /// The line that changes to-dos, with the words that are left of those that were typed.
    private func line(_ names: String, _ words: [String]) -> String {
        let words = words.isEmpty ? [TypedText.placeholder] : words
        return ([AdvisedLine.program, command, names] + words.map(\.shellQuoted))
            .joined(separator: " ")
    }

    /// The words that the text would be, and the line that makes it that.
    private func refusal(_ text: String, _ typed: TypedText, of title: String) -> CommandFailure {
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
            "\(effect); for that: \(line(name, [text] + typed.others))"
                + (longer(by: typed, in: title).map { "; to name it by more words: \($0)" } ?? ""))
    }

    /// The line with the words of the text that stand in the title, too, as a part of the name; nil if none does.
    private func longer(by typed: TypedText, in title: String) -> String? {
        let title = title.lowercased()
        var named = [word]
        for word in typed.textWords {
            // A word that repeats another one begins something else.
            let isNew = !named.contains { $0.lowercased() == word.lowercased() }
            guard isNew, title.contains(word.lowercased()) else { break }
            named.append(word)
        }
        if named.count == 1 { return nil }
        return line(named.joined(separator: " ").shellQuoted, typed.without(named.count - 1))
    }

    /// - Parameter count: how many words of the text go on with the title of the other one; nil if it is its whole title, and both
    ///   may be meant.
    private func refusal(
        _ text: String, _ typed: TypedText, naming other: Record, by count: Int?
    ) -> CommandFailure {
        let (name, another) = (context.name(of: stored), context.name(of: other))
        let meant =
            count.map { "for that one: \(line(another, typed.without($0)))" }
            ?? "for both: \(line("\(name),\(another)", typed.others))"
        let alone = isEdit ? ["title:" + text] + typed.others : rest
        return CommandFailure(
            .usage,
            "'\(other.shownTitle)' is a to-do of its own (\(another)), and nothing was changed; \(meant); "
                + "for '\(stored.shownTitle)' and \(isEdit ? "that title" : "that text"): \(line(name, alone))"
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
