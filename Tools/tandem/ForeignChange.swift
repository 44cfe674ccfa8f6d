import Terminal
import ToDo

/// A command of another program that changes what a filter in front of it takes, and what else it is to change: with
/// us an edit of its own.
struct ForeignChange {
    /// The lines of ours, in their order: what they change first leaves the rest to be found.
    private(set) var lines: [[String]]

    /// - Parameters:
    ///   - name: our command.
    ///   - targets: the words that choose to-dos.
    ///   - changes: the words behind it; without targets they name the to-dos.
    init(_ name: String, _ targets: [String], _ changes: [String]) {
        let isStop = name == StopCommand.name
        let filter = ForeignFilter(targets)
        guard !targets.isEmpty, !changes.isEmpty, filter.command == nil else {
            if isStop {
                lines = [[name]]
            } else if let command = filter.command {
                let names = Self.trash()
                lines = [names.isEmpty ? command : [name] + names]
            } else {
                lines = [[name] + filter.words + changes]
            }
            return
        }
        let named = Self.named(targets)
        let texts = changes.filter { !Self.isChange($0) }
        let terms = changes.filter(Self.isChange)
        var lines: [[String]] = []
        if !texts.isEmpty { lines.append(["annotate"] + Self.oneName(named) + texts) }
        if !terms.isEmpty { lines.append(["edit"] + Self.oneName(named) + terms) }
        self.lines = lines + [[name] + (isStop ? [] : ForeignFilter(named).words)]
    }

    /// The lines for a line of ours that says what else to change; nil for any other line.
    init?(ours typed: [String]) {
        let names = Array(typed.dropFirst().prefix(while: ForeignLine.isName))
        guard let name = typed.first, !names.isEmpty else { return nil }
        let isStop = name == StopCommand.name
        let rest = typed.dropFirst(names.count + 1)
        guard
            isStop || ForeignCommand.changing.contains(name) && rest.contains(where: Self.isChange)
        else { return nil }
        let options = rest.filter { $0.hasPrefix("--") }
        let change = Self(name, names, rest.filter { !$0.hasPrefix("--") })
        lines = change.lines.dropLast() + [(change.lines.last ?? []) + options]
    }

    /// Whether a word gives a field a value, or changes a part of the title: `/old/new/`.
    private static func isChange(_ word: String) -> Bool {
        // A duration, as in `start 3 --at -90min`, looks like a tag.
        let digits = word.dropFirst().prefix { $0.isASCII && $0.isNumber }
        if "+-".contains(word.prefix(1)), !digits.isEmpty, digits.count < 4 { return false }
        return ToDoFilter.isTerm(word) || word.hasPrefix("/") && word.count { $0 == "/" } > 2
    }

    /// The numbers of what a filter takes: it may take nothing any more once that is changed.
    private static func named(_ targets: [String]) -> [String] {
        let words = ForeignFilter(targets).words
        guard !targets.allSatisfy(ForeignLine.isName),
            let context = context(), let found = try? Selection.find(words, context)
        else { return targets }
        let names = context.naming.names(of: found)
        let areShort = names.count <= namedCountMax && names.allSatisfy(ToDoName.isNumberOrLast)
        return areShort ? [names.joined(separator: ",")] : targets
    }

    /// The words that name what is in the trash; none if that is nothing or too much.
    private static func trash() -> [String] {
        guard let context = context(),
            let found = try? context.todos.trash(limit: namedCountMax), !found.shown.isEmpty,
            found.count == found.shown.count
        else { return [] }
        return context.naming.names(of: found.shown)
    }

    private static func context() -> CommandContext? {
        try? CommandContext.openToRead(Arguments([], of: ShowCommand.self, in: Tandem.self))
    }

    /// No more to-dos are named one by one.
    private static let namedCountMax = 20

    /// The words that name to-dos as the one that an edit takes.
    static func oneName(_ typed: [String]) -> [String] {
        let words = ForeignFilter(typed).words
        if words.count < 2 { return words }
        if words.allSatisfy(ToDoName.isNumberOrLast) { return [words.joined(separator: ",")] }
        return ["--where", words.joined(separator: " ")]
    }
}
