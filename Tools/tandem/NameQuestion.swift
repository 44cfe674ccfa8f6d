import Terminal
import ToDo

/// The question which of several to-dos is meant, and what is said of names that name none.
struct NameQuestion {
    private static let titleWidthMax = 60

    /// The words that may mean them.
    private let text: String
    private let found: [Record]
    private let hasMore: Bool
    private let isInsideWord: Bool
    /// The same as they stand in the command line.
    private let words: [String]
    private let context: CommandContext

    init(
        _ text: String, _ found: [Record], hasMore: Bool, isInsideWord: Bool = false,
        _ words: [String], _ context: CommandContext
    ) {
        self.text = text
        self.found = found
        self.hasMore = hasMore
        self.isInsideWord = isInsideWord
        self.words = words
        self.context = context
    }

    /// Asks which one is meant, or refuses and names them.
    func ask() throws -> Record {
        let names = context.naming.names(of: found)
        let shown = lines(names)
        guard Screen.canAsk else {
            let example = names.first.flatMap { context.line(naming: [$0], insteadOf: words) }
            let one =
                "\nsay which by what stands in front of it"
                + (example.map { ", for example: \($0)" } ?? "")
            throw CommandFailure(
                .usage,
                (isInsideWord
                    ? "'\(text.shownInLine)' is no word of a title, only a part of one, and nothing was done; "
                        + "to search: \(search)\n\(shown)"
                    : "'\(text.shownInLine)' may be any of these, and nothing was done:\n\(shown)")
                    + one)
        }
        Screen.error(shown + "\n")
        let answer = Screen.answer("Which one? ")
        if let index = names.firstIndex(of: answer) { return found[index] }
        throw CommandFailure(
            .nothing,
            names.count == 1
                ? "nothing was done; the good answer is \(names[0])"
                : "nothing was done; good answers are one of: \(names.joined(separator: ", "))")
    }

    /// Refuses where all of them have the status already that a command gives: none of them can be meant.
    func refuseIfSettled(_ status: ToDoStatus) throws {
        guard
            found.allSatisfy({ $0.standing == .live && ToDoMapping.status(of: $0) == status })
        else { return }
        throw CommandFailure(
            .nothing,
            "all that '\(text.shownInLine)' may be are \(status.rawValue) already, and nothing was done:\n"
                + lines(context.naming.names(of: found)))
    }

    private func lines(_ names: [String]) -> String {
        let digits = text.lowercased().filter { $0 != "-" }
        let lines = Self.lines(found, names, context) { stored in
            // Of a word that an id may be as well it is said which it is.
            let id = stored.id.hexadecimal
            let isByID =
                digits.utf8.count >= ToDoName.digitCountMin
                && (id.hasPrefix(digits) || id.hasSuffix(digits))
            return isByID ? "  by its id" : ""
        }
        return (lines + (hasMore ? ["  and more: \(search)"] : [])).joined(separator: "\n")
    }

    /// The line that lists all of them.
    private var search: String {
        let isPending = found.allSatisfy {
            $0.standing == .live && ToDoMapping.status(of: $0) == .pending
        }
        let isTrash = found.allSatisfy { $0.standing != .live }
        if isTrash { return "\(AdvisedLine.program) trash" }
        return
            "\(AdvisedLine.program) list \(isPending ? "" : "--all ")\(text.shownInLine.shellQuoted)"
    }

    private static func lines(
        _ found: [Record], _ names: [String], _ context: CommandContext,
        _ remark: (Record) -> String = { _ in "" }
    ) -> [String] {
        let width = names.map(Cells.count).max() ?? 0
        return zip(names, found).map { name, stored in
            let title = context.datedTitle(of: stored, widthMax: titleWidthMax)
            return "  \(Cells.right(name, to: width))  \(title)\(remark(stored))"
        }
    }

    /// The refusal of numbers or ids that stand beside words of a title, where nothing can be asked of the store.
    static func reason(_ mixed: MixedNames) -> String {
        "'\(mixed.words.joined(separator: " ").shownInLine)' has numbers or ids beside other words, and no title has "
            + "all of them; nothing was done"
    }

    /// The refusal of numbers or ids that stand beside words of a title, with what to type.
    static func refusal(of mixed: MixedNames, _ context: CommandContext) -> CommandFailure {
        let text = mixed.words.joined(separator: " ").shownInLine
        func line(_ names: [String]) -> String {
            context.line(naming: names, insteadOf: mixed.words) ?? names.joined(separator: " ")
        }
        if let range = mixed.range {
            let (first, last) = (range.lowerBound, range.upperBound)
            let next =
                context.takesOne
                ? "it takes one to-do: \(line(["\(first)"]))"
                : "for one: \(line(["\(first)-\(last)"]))"
            return CommandFailure(.usage, "'\(text)' is no range, and nothing was done; \(next)")
        }
        let known = Set(mixed.numbered.map(\.id))
        let found = mixed.numbered + mixed.titled.filter { !known.contains($0.id) }
        let names = context.naming.names(of: found)
        let title = mixed.titleWords.joined(separator: " ").shownInLine
        if found.isEmpty {
            return CommandFailure(
                .nothing,
                "no title has all words of '\(text)', and nothing was done; see: \(AdvisedLine.program) list"
            )
        }
        let several =
            mixed.titled.count > 1 || mixed.hasMore || names.count < 2 || context.takesOne
            ? nil : "for all of these: \(line(names))"
        if mixed.isList, let several {
            return CommandFailure(
                .usage, "'\(text)' is no list of numbers, and nothing was done; \(several)")
        }
        let one = mixed.titled.isEmpty ? names[0] : names[names.count - 1]
        let shown = lines(found, names, context) + (mixed.hasMore ? ["  and more"] : [])
        let absent = mixed.titled.isEmpty && !mixed.isList ? "'\(title)'" : "all of them"
        return CommandFailure(
            .usage,
            "'\(text)' has numbers or ids beside other words, and no title has \(absent); "
                + "nothing was done:\n\(shown.joined(separator: "\n"))\n"
                + "say which by what stands in front of it, for example: \(line([one]))"
                + (several.map { "; \($0)" } ?? ""))
    }
}

extension CommandFailure {
    /// The fault of words that should name a to-do.
    init(_ fault: ToDoNameFault) {
        switch fault {
        case .noNumber(let number):
            self.init(
                .nothing,
                "no to-do has the number \(number); see: \(AdvisedLine.program) list; where it stands in a title: title:\(number)"
            )
        case .incomplete(let word):
            self.init(
                .usage,
                "'\(word.shownInLine)' leaves a number out, and nothing was done; write it as 1,2 or 1-3; "
                    + "where it stands in a title: title:\(word.shownInLine)")
        case .empty:
            let told = "an empty word names no to-do, and nothing was done"
            self.init(.usage, "\(told); \(CommandContext.waysToName)")
        case .noneInRange(let range, let isOfPending):
            self.init(
                .nothing,
                "no \(isOfPending ? "pending " : "")to-do has a number from \(range.lowerBound) to \(range.upperBound); "
                    + "see: \(AdvisedLine.program) list")
        case .tooMany(let range, let max):
            self.init(
                .usage,
                "\(range.lowerBound)-\(range.upperBound) names more than \(max) to-dos; "
                    + "say it by --where")
        case .notShown(let range, let unshown, let hasMore):
            let named = unshown.map { "\($0.number) '\($0.record.shownTitle)'" }
            let rest = hasMore ? " and more" : ""
            self.init(
                .refused,
                "\(range.lowerBound)-\(range.upperBound) has to-dos that this terminal never showed: "
                    + "\(named.joined(separator: ", "))\(rest); nothing was done; see: \(AdvisedLine.program) list; "
                    + "or name each by its number")
        case .changed(let number, let shown, let now):
            let before =
                shown.map { "'\($0.shownTitle)'" } ?? "perhaps one that is not here any more"
            let after = now.map { "'\($0.shownTitle)'" } ?? "none"
            self.init(
                .refused,
                "the number \(number) was \(before) when this terminal last showed it, and is "
                    + "\(after) now; nothing was done; see: \(AdvisedLine.program) list")
        case .gone(let number):
            self.init(.nothing, "the to-do number \(number) is not here any more")
        case .noLatest:
            self.init(
                .nothing,
                "nothing was added or changed in this terminal yet, so 'last' names no to-do")
        case .nothing(let text):
            self.init(
                .nothing,
                "no to-do has '\(text.shownInLine)' in its title; to search notes as well: "
                    + "\(AdvisedLine.program) list --all \(text.shownInLine.shellQuoted)")
        case .latestOrCount(let number):
            self.init(
                .usage,
                "'last \(number)' may be the latest and number \(number), or the \(number) latest, and nothing was "
                    + "done; for the first say: \(number) last")
        case .several(let text, _, _), .insideWord(let text, _, _):
            self.init(.usage, "'\(text.shownInLine)' names several to-dos")
        case .mixed(let mixed): self.init(.usage, NameQuestion.reason(mixed))
        case .noNumbers:
            self.init(
                .inputOutput,
                "to-dos have no numbers where the store cannot be written; name one by words of its title or by its id, "
                    + "as `\(AdvisedLine.program) list` shows it")
        case .unavailable(let fault), .unreadable(let fault): self.init(fault as any Error)
        }
    }
}
