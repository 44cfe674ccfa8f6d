import Terminal
import ToDo

/// Changes to-dos.
enum EditCommand: Command {
    static let name = "edit"
    static let summary = "Change a to-do, by words or in your editor"
    static let help = """
          tandem edit 3 due:monday
          tandem edit 3 Buy oat milk +errand -later project:
          tandem edit 3 /oat/almond/
          tandem edit milk x.size:L notes:the green one
          tandem edit milk notes+:or the blue one
          tandem edit 4 depends:3
          tandem edit 5 except+:"24 dec"
          tandem edit 3
          tandem edit 1-3,7 due:sat
          tandem edit +OVERDUE due:today
          tandem edit --where "project:Home +errand" due:sat

        Keys are those of `tandem add`. `key:` alone clears a field, `-tag` removes a
        tag. Words without a key are the new title, unless they continue the value
        before them. Text after `notes:`, up to the next key or tag, is the notes;
        `notes+:` adds a line to them, `notes-:WORDS` removes the line that has WORDS.
        /OLD/NEW/ replaces a part of the title, or of the notes (/OLD/NEW/g:
        everywhere).
        `depends+:` and `depends-:` add and remove what a to-do waits for; `except+:`
        and `except-:`, a day that a series leaves out.
        Without words, your editor ($VISUAL, $EDITOR) opens a form. Only the fields that
        you change there are saved, so edits by others meanwhile are kept.

        --where FILTER    all to-dos that match FILTER; asks if more than one (--yes: do
                          not ask)
        --dry-run         show what would change, and change nothing
        """
    static let values = ["where"]
    static let flags = ["dry-run"]
    static let keepsSeparator = true

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let context = try CommandContext.open(
            arguments, onlyReads: arguments.has("dry-run"))
        if let filter = arguments["where"] {
            let found = try Selection.find(try Selection.words(ofFilter: filter), context)
            let words = try ItemWords.parse(arguments.words, for: .editing, context)
            return try ItemEdit(words, arguments).ofMany(found, asks: true, context)
        }
        guard let which = arguments.words.first else {
            throw CommandFailure(
                .usage, "say which, and what: \(AdvisedLine.program) edit 3 due:monday")
        }
        let target = try Selection.first(arguments, context)
        if arguments.words.count == 1 {
            guard target.found.count == 1, Screen.isPerson else {
                throw CommandFailure(
                    .usage,
                    "say what to change, for example: \(AdvisedLine.program) edit \(which.shellQuoted) due:monday"
                )
            }
            return try EditForm.run(target.found[0], arguments, context)
        }
        let words = try parse(arguments, target, context)
        if let title = words.title, !arguments.words.contains("--") {
            try refuseIfSign(title, in: arguments)
            try refuseIfUnlikely(title, in: arguments, target, context)
        }
        return try ItemEdit(words, arguments).of(target, context)
    }

    private static func parse(
        _ arguments: Arguments, _ target: (found: [Record], isByFilter: Bool),
        _ context: CommandContext
    ) throws -> ToDoWords {
        do {
            return try ItemWords.parse(
                Array(arguments.words.dropFirst()), for: .editing, context)
        } catch ToDoWordsError.verb(let verb) {
            if verb == "and", let list = numbers(arguments, joinedBy: ",") { throw list }
            throw VerbBehindName(verb, arguments, target, context).refusal
        }
    }

    /// Refuses a title with a word that may be a tag to be removed, and is none that can be written so.
    private static func refuseIfSign(_ title: String, in arguments: Arguments) throws {
        let sign = arguments.words.dropFirst().first { word in
            word.count > 1 && word.first == "-" && title.contains(word)
        }
        guard let sign else { return }
        throw CommandFailure(
            .usage,
            "'\(sign.shownInLine)' would be a part of the title (words after -- are plain text); a tag with such "
                + "characters is removed by naming those that stay: \(AdvisedLine.program) edit \(arguments.words[0].shellQuoted) tags:one,two"
        )
    }

    /// Refuses a title that may be the numbers of more to-dos, or more words of the title that names this one.
    private static func refuseIfUnlikely(
        _ title: String, in arguments: Arguments, _ target: (found: [Record], isByFilter: Bool),
        _ context: CommandContext
    ) throws {
        let which = arguments.words[0]
        if title.allSatisfy({ $0.isNumber || " ,-".contains($0) }) {
            let ends = title.split { $0 == " " || $0 == "," }
            let numbers = ends.filter { ToDoName.isNumberOrLast(String($0)) }
            let others =
                numbers.count == ends.count
                ? numbers
                : title.split { !$0.isNumber }.filter { $0.first != "0" && $0 != which }
            throw CommandFailure(
                .usage,
                "to change several to-dos, write: "
                    + several(which, others, of: title, in: arguments, target, context)
                    + "; for the title '\(title)': \(AdvisedLine.program) edit \(which.shellQuoted) -- \(title.shellQuoted)"
            )
        }
        let words = title.split(separator: " ")
        if words.count == 2, ["to", "till", "until", "through", "thru", "-"].contains(words[0]),
            let range = numbers(arguments, joinedBy: "-")
        {
            throw range
        }
        // In `edit 3 2 eggs` the number may be that of another to-do; `last 2` may be the two latest as well.
        if let first = words.first, first.allSatisfy(\.isNumber),
            arguments.words.dropFirst().contains(String(first)),
            ToDoName.read([which]) == [.latest] || isOther(first, than: target, which, context)
        {
            let isAll = arguments.words.dropFirst().joined(separator: " ") == title
            let line =
                isAll
                ? "\(AdvisedLine.program) edit \(which) \(title.shellQuoted)" : title.shellQuoted
            throw CommandFailure(
                .usage,
                "'\(title.shownInLine)' would be the title; for that, write it in quotes: \(line); "
                    + "to change several to-dos: \(several(which, [first], of: title, in: arguments, target, context))"
            )
        }
        try TargetName(name, arguments, target, context)?.refuseIfLonger(by: title)
    }

    /// The refusal of words such as `1 to 2` and `1 and 2`, with the line that changes those to-dos; nil for other words.
    private static func numbers(
        _ arguments: Arguments, joinedBy sign: String
    ) -> CommandFailure? {
        let words = arguments.words
        let isNumber = { (word: String) in !word.isEmpty && word.allSatisfy(\.isNumber) }
        guard words.count > 2, isNumber(words[0]), isNumber(words[2]) else { return nil }
        let rest = words.dropFirst(3).map(\.shellQuoted).joined(separator: " ")
        let text = "\(words[1]) \(words[2])"
        return CommandFailure(
            .usage,
            "to change several to-dos, write: \(AdvisedLine.program) edit \(words[0])\(sign)\(words[2]) "
                + (rest.isEmpty ? TypedText.placeholder : rest)
                + "; for the title '\(text.shownInLine)': \(AdvisedLine.program) edit \(words[0]) title:\(text.shellQuoted)"
        )
    }

    /// Whether a number behind that of a to-do is now the number of another one.
    private static func isOther(
        _ number: Substring, than target: (found: [Record], isByFilter: Bool), _ which: String,
        _ context: CommandContext
    ) -> Bool {
        guard which.allSatisfy(\.isNumber),
            let other = try? context.naming.find(numberOrID: String(number))
        else { return false }
        return other.id != target.found.first?.id
    }

    /// The line that changes the to-do that was named and those of other numbers as the words besides the title say.
    private static func several(
        _ which: String, _ numbers: [Substring], of title: String, in arguments: Arguments,
        _ target: (found: [Record], isByFilter: Bool), _ context: CommandContext
    ) -> String {
        let changes = TypedText(title, in: arguments.words.dropFirst()).others
        let isLatest = ToDoName.read([which]) == [.latest]
        let first = isLatest ? target.found.first.map { context.name(of: $0) } : nil
        let bare = which.last == "," ? String(which.dropLast()) : which
        let names = ([first ?? bare] + numbers.map { String($0) }).joined(separator: ",")
        return AdvisedLine.line(
            [name, names] + (changes.isEmpty ? [TypedText.placeholder] : changes))
    }
}
