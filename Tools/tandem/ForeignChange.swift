import Terminal
import ToDo

/// A command of another program that changes what a filter in front of it takes, and what else it is to change: with
/// us an edit of its own.
struct ForeignChange {
    /// The lines of ours, in their order: what they change first leaves the rest to be found.
    private(set) var lines: [[String]]
    /// Why none of them does what was meant; nil if they do.
    private(set) var refusal: CommandFailure?

    /// - Parameters:
    ///   - name: our command.
    ///   - targets: the words that choose to-dos.
    ///   - changes: the words behind it; without targets they name the to-dos.
    ///   - store: the option that names the store.
    init(_ name: String, _ targets: [String], _ changes: [String], store: [String] = []) {
        let isStop = name == StopCommand.name
        let filter = ForeignFilter(targets)
        refusal = isStop ? Self.refusal(ofStopping: targets, store) : nil
        guard !targets.isEmpty, !changes.isEmpty, filter.command == nil else {
            if isStop {
                lines = [[name]]
            } else if let command = filter.command {
                let names = Self.names(insteadOf: filter, store)
                lines = [names.isEmpty ? command : [name] + names]
            } else {
                lines = [[name] + Self.numbersAlone(filter.words) + changes]
            }
            return
        }
        let named = Self.named(targets, store)
        let texts = changes.filter { !Self.isChange($0) }
        let terms = changes.filter(Self.isChange)
        var lines: [[String]] = []
        if !texts.isEmpty { lines.append(["annotate"] + Self.oneName(named) + texts) }
        if !terms.isEmpty { lines.append(["edit"] + Self.oneName(named) + terms) }
        self.lines =
            lines + [[name] + (isStop ? [] : Self.numbersAlone(ForeignFilter(named).words))]
    }

    /// The lines for a line of ours that says what else to change; nil for any other line.
    init?(ours typed: [String]) {
        let names = Array(typed.dropFirst().prefix(while: ForeignLine.isName))
        guard let name = typed.first, !names.isEmpty else { return nil }
        let isStop = name == StopCommand.name
        guard isStop || ForeignCommand.changing.contains(name),
            let command = Tandem.command(name)
        else { return nil }
        let (rest, options) = ForeignOptions.parted(
            typed.dropFirst(names.count + 1), values: Set(command.values + Tandem.commonValues))
        let words = rest.prefix { $0 != "--" }
        guard isStop || words.contains(where: Self.isChange) else { return nil }
        let store = ForeignOptions.store(in: options)
        let change = Self(name, names, rest.filter { $0 != "--" }, store: store)
        refusal = change.refusal
        lines =
            change.lines.dropLast().map { $0 + store }
            + [(change.lines.last ?? []) + options.flatMap(\.self)]
    }

    /// Whether a word gives a field a value, or changes a part of the title: `/old/new/`.
    private static func isChange(_ word: String) -> Bool {
        // A duration, as in `start 3 --at -90min`, looks like a tag.
        let digits = word.dropFirst().prefix { $0.isASCII && $0.isNumber }
        if "+-".contains(word.prefix(1)), !digits.isEmpty, digits.count < 4 { return false }
        return ToDoFilter.isTerm(word) || word.hasPrefix("/") && word.count { $0 == "/" } > 2
    }

    /// The numbers of what a filter takes: it may take nothing any more once that is changed.
    private static func named(_ targets: [String], _ store: [String]) -> [String] {
        let words = ForeignFilter(targets).words
        guard !targets.allSatisfy(ForeignLine.isName),
            let context = context(store), let found = try? Selection.find(words, context)
        else { return targets }
        let names = context.naming.names(of: found)
        let areShort = names.count <= namedCountMax && names.allSatisfy(ToDoName.isNumberOrLast)
        return areShort ? [names.joined(separator: ",")] : targets
    }

    /// The words that name what a filter takes that no filter of ours can ask for: all in the trash, or the newest; none if that is
    /// nothing or too much.
    private static func names(insteadOf filter: ForeignFilter, _ store: [String]) -> [String] {
        guard let context = context(store) else { return [] }
        if filter.isOfTrash {
            guard let found = try? context.todos.trash(limit: namedCountMax),
                found.count == found.shown.count
            else { return [] }
            return context.naming.names(of: found.shown)
        }
        guard filter.isOfNewest, let found = try? Selection.find(["status:pending"], context) else {
            return []
        }
        let newest = found.max {
            (ToDoMapping.item($0).created ?? 0, $0.id) < (ToDoMapping.item($1).created ?? 0, $1.id)
        }
        return newest.map { [context.name(of: $0)] } ?? []
    }

    /// The refusal where the timer that runs is that of another to-do: `stop` names none.
    private static func refusal(ofStopping targets: [String], _ store: [String]) -> CommandFailure?
    {
        guard !targets.isEmpty, targets.allSatisfy(ForeignLine.isName),
            let context = context(store),
            let found = try? context.naming.find(targets, in: .any),
            let timers = try? context.todos.timers(), let timer = timers.first,
            !timers.contains(where: { timer in found.contains { $0.id == timer.id } })
        else { return nil }
        let meant = found.map { "'\($0.shownTitle)'" }.joined(separator: ", ")
        return CommandFailure(
            .nothing,
            "no timer of \(meant) is running; to stop the one of '\(timer.item.shownTitle)': "
                + ForeignLine.advised([StopCommand.name] + store))
    }

    private static func context(_ store: [String]) -> CommandContext? {
        try? CommandContext.openToRead(Arguments(store, of: ShowCommand.self, in: Tandem.self))
    }

    /// Words of a filter; of nothing but numbers without what joins them, as in `( 1 or 2 )`.
    private static func numbersAlone(_ words: [String]) -> [String] {
        let names = words.filter { !["(", ")", "or"].contains($0) }
        return names.allSatisfy(ForeignLine.isName) ? names : words
    }

    /// No more to-dos are named one by one.
    private static let namedCountMax = 20

    /// The words that name to-dos as the one that an edit takes.
    static func oneName(_ typed: [String], store: [String] = []) -> [String] {
        let filter = ForeignFilter(typed)
        if filter.isOfNewest, typed.count == 1 { return names(insteadOf: filter, store) }
        let words = numbersAlone(filter.words)
        if words.count < 2 { return words }
        if words.allSatisfy(ToDoName.isNumberOrLast) { return [words.joined(separator: ",")] }
        return ["--where", words.joined(separator: " ")]
    }
}
