import Terminal
import ToDo

/// The possible words at the end of a command line.
///
/// Reads the store at a glance: without waiting and without writing; without a store, less is offered.
struct CompletionAnswer {
    /// Paths, which the shell itself completes better.
    enum Paths: String {
        case files
        case folders
    }

    /// The words, in the order in which they are offered.
    private(set) var candidates: [CompletionCandidate] = []
    /// The paths that the shell offers instead.
    private(set) var paths: Paths?

    private let line: CompletionLine
    private let folder: String?

    /// Answers for a line.
    init(_ line: CompletionLine) {
        self.line = line
        let option = line.store
        folder = try? CommandContext.folder(option: option.map { Self.atHome($0) })
        switch line.wanted {
        case .option(let given): offerOptions(besides: given)
        case .word(let kind): offer(kind)
        }
    }

    private var glance: ToDoGlance? { folder.flatMap { ToDoGlance(folder: $0) } }

    /// A path as the shell would have read it.
    private static func atHome(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = CommandContext.environment("HOME")
        else {
            return path
        }
        return home + path.dropFirst()
    }

    private mutating func add(_ word: String, _ note: String = "") {
        guard word.hasPrefix(line.typed), let found = CompletionCandidate(line.prefix + word, note)
        else { return }
        candidates.append(found)
    }

    private mutating func offerOptions(besides given: Set<String>) {
        let own = line.command.map { OptionHelp.options(in: $0.help) } ?? []
        let common = Tandem.commonOptions.compactMap { OptionHelp($0) }
        for option in own + common {
            for name in option.names where !given.contains(String(name.dropFirst(2))) {
                add(name, option.text)
            }
        }
    }

    private mutating func offer(_ kind: CompletionKind) {
        switch kind {
        case .free: break
        case .choices(let words): for word in words { add(word) }
        case .command:
            for (word, summary) in Tandem.words { add(word, summary) }
            if line.command == nil, let settings = try? UserConfiguration.read() {
                for word in settings.aliasNames where !UserConfiguration.isCommand(word) {
                    add(word, settings.line(UserSetting.aliasPrefix + word) ?? "")
                }
            }
            if line.command == nil, !line.typed.isEmpty {
                for name in glance?.views(prefix: line.typed) ?? []
                where !UserConfiguration.isCommand(name) {
                    add(name, "a list of your own")
                }
            }
            if line.command != nil {
                for topic in HelpTopic.allCases { add(topic.rawValue, topic.summary) }
            }
        case .device: for name in glance?.devices(prefix: line.typed) ?? [] { add(name) }
        case .view(let others):
            for name in others + (glance?.views(prefix: line.typed) ?? []) { add(name) }
        case .project: for name in glance?.projects(prefix: line.typed) ?? [] { add(name) }
        case .file: paths = .files
        case .folder: paths = .folders
        case .todo(let scope): offerTodos(scope, before: "")
        case .filter: offerWords(of: .filter)
        case .newItem: offerWords(of: .newItem)
        case .change: offerWords(of: .change)
        }
    }

    /// Offers to-dos by their numbers; by their ids once one is begun, or if none has a number.
    private mutating func offerTodos(_ scope: ToDoGlance.Scope, before prefix: String) {
        guard let folder, let glance else { return }
        let typed = line.typed.dropFirst(prefix.count)
        var numbers: [(number: Int, id: RecordID)] = []
        if typed.count <= 6, typed.first != "0", typed.allSatisfy({ $0.isASCII && $0.isNumber }) {
            numbers = ToDoGlance.numbers(in: folder, beginningWith: String(typed))
        }
        let titles = Dictionary(
            glance.todos(scope, among: numbers.map(\.id)).map { ($0.id, $0.title) },
            uniquingKeysWith: { first, _ in first })
        for (number, id) in numbers {
            if let title = titles[id] { add("\(prefix)\(number)", Self.note(title)) }
        }
        if !candidates.isEmpty { return }
        let digits = typed.lowercased().filter { $0 != "-" }
        for row in glance.todos(scope, idPrefix: digits) {
            // The end of an id alone might name another one.
            let whole = typed.contains("-") ? row.id.uuidText : row.id.uuidText.filter { $0 != "-" }
            add(prefix + whole, Self.note(row.title))
        }
    }

    private static func note(_ title: String) -> String {
        title.isEmpty ? ToDoItem.untitled : title
    }
}

// MARK: Words of to-dos and filters

extension CompletionAnswer {
    private enum Use {
        case newItem
        case change
        case filter
    }

    private mutating func offerWords(of use: Use) {
        let typed = line.typed
        if typed.first == "+" || (typed.first == "-" && use != .newItem) {
            return offerTags(of: use, sign: String(typed.prefix(1)))
        }
        guard let colon = typed.firstIndex(of: ":") else { return offerKeys(of: use) }
        let key = String(typed[..<colon].prefix { $0 != "." && $0 != "+" && $0 != "-" })
        let before = String(typed[...colon])
        let value = String(typed[typed.index(after: colon)...])
        let values: [String]
        switch ToDoWordKeys.meaning(of: key) {
        case .project: values = glance?.projects(prefix: value) ?? []
        case .location: values = glance?.locations(prefix: value) ?? []
        case .people: values = glance?.people(prefix: value) ?? []
        case .tags: values = glance?.tags(prefix: value) ?? []
        case .priority: values = ToDoPriority.allCases.map(\.word)
        case .status: values = ToDoStatus.allCases.map(\.rawValue)
        case .date: values = CompletionKind.days
        case .rule: values = CompletionKind.rules
        case .todo: return offerTodos(.pending, before: before)
        case .reminders: values = CompletionKind.reminders
        case .text: values = []
        }
        for value in values { add(before + value) }
    }

    private mutating func offerTags(of use: Use, sign: String) {
        for tag in glance?.tags(prefix: String(line.typed.dropFirst())) ?? []
        where !tag.contains(where: \.isWhitespace) {
            add(sign + tag)
        }
        guard use == .filter else { return }
        for tag in ToDoVirtualTag.allCases { add(sign + tag.rawValue) }
    }

    private mutating func offerKeys(of use: Use) {
        for name in ToDoWordKeys.names(forFilters: use == .filter) { add(name + ":") }
        if use == .filter, let dot = line.typed.firstIndex(of: ".") {
            let key = String(line.typed[..<dot])
            if case .date = ToDoWordKeys.meaning(of: key) {
                for modifier in ["before", "after", "by"] { add("\(key).\(modifier):") }
            }
        }
        guard line.typed.hasPrefix("x.") else { return }
        for name in glance?.customNames(prefix: String(line.typed.dropFirst(2))) ?? []
        where name.allSatisfy({ $0.isLetter || $0.isNumber || "_-.".contains($0) }) {
            add("x.\(name):")
        }
    }
}

/// A word that may be meant, and what a person is told of it.
struct CompletionCandidate {
    /// Without a control character: a shell can be told of it in a line.
    let word: String
    /// For a screen, in one line; may be empty.
    let note: String

    /// The most cells of a note.
    private static let noteWidthMax = 48

    /// Nil if the word cannot be given to a shell in a line.
    init?(_ word: String, _ note: String = "") {
        guard !word.isEmpty, word.shown == word, !word.contains(where: \.isNewline) else {
            return nil
        }
        self.word = word
        self.note = Cells.cut(note.shownInLine, to: Self.noteWidthMax)
    }
}
