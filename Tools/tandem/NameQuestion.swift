import Terminal
import ToDo

/// The question which of several to-dos is meant, and what is said of names that name none.
enum NameQuestion {
    private static let titleWidthMax = 60

    /// Asks which one is meant, or refuses and names them.
    static func ask(
        _ text: String, _ found: [Record], hasMore: Bool, isInsideWord: Bool = false,
        _ context: CommandContext
    ) throws -> Record {
        let names = context.naming.names(of: found)
        let width = names.map(Cells.count).max() ?? 0
        var lines = zip(names, found).map { name, stored in
            "  \(Cells.right(name, to: width))  \(context.datedTitle(of: stored, widthMax: titleWidthMax))"
        }
        if hasMore { lines.append("  and more: tandem list \(text.shownInLine.shellQuoted)") }
        let shown = lines.joined(separator: "\n")
        guard Screen.canAsk else {
            throw CommandFailure(
                .usage,
                isInsideWord
                    ? "'\(text.shownInLine)' is no word of a title, only a part of one, and nothing was done; "
                        + "to search: tandem list \(text.shownInLine.shellQuoted)\n\(shown)"
                    : "'\(text.shownInLine)' may be any of these, and nothing was done:\n\(shown)"
            )
        }
        Screen.error(shown + "\n")
        let answer = Screen.answer("Which one? ")
        if let index = names.firstIndex(of: answer) { return found[index] }
        throw CommandFailure(.nothing, "nothing was done")
    }
}

extension CommandFailure {
    /// The fault of words that should name a to-do.
    init(_ fault: ToDoNameFault) {
        switch fault {
        case .noNumber(let number):
            self.init(
                .nothing,
                "no to-do has the number \(number); see: tandem list; where it stands in a title: title:\(number)"
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
                    + "see: tandem list")
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
                    + "\(named.joined(separator: ", "))\(rest); nothing was done; see: tandem list; "
                    + "or name each by its number")
        case .changed(let number, let shown, let now):
            let before =
                shown.map { "'\($0.shownTitle)'" } ?? "perhaps one that is not here any more"
            let after = now.map { "'\($0.shownTitle)'" } ?? "none"
            self.init(
                .refused,
                "the number \(number) was \(before) when this terminal last showed it, and is "
                    + "\(after) now; nothing was done; see: tandem list")
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
                    + "tandem list --all \(text.shownInLine.shellQuoted)")
        case .latestOrCount(let number):
            self.init(
                .usage,
                "'last \(number)' may be the latest and number \(number), or the \(number) latest, and nothing was "
                    + "done; for the first say: \(number) last")
        case .several(let text, _, _), .insideWord(let text, _, _):
            self.init(.usage, "'\(text.shownInLine)' names several to-dos")
        case .noNumbers:
            self.init(
                .inputOutput,
                "to-dos have no numbers where the store cannot be written; name one by words of its title or by its id, "
                    + "as `tandem list` shows it")
        case .unavailable(let fault):
            self.init(fault as any Error)
        case .unreadable(let fault):
            self.init(fault as any Error)
        }
    }
}
