import Terminal
import ToDo

/// A command line that is being typed: what is asked for at its end.
struct CompletionLine {
    /// The expected word at the end.
    enum Wanted {
        /// A word of that kind.
        case word(CompletionKind)
        /// An option of the command; with those that were given already.
        case option(given: Set<String>)
    }

    /// The command, if there is one already.
    private(set) var command: (any Command.Type)?
    /// The word that is being typed, from its beginning to the cursor; of `--name=value` the value.
    private(set) var typed: String
    /// The text before it in the same word: `--name=`.
    private(set) var prefix = ""
    /// The expected word.
    private(set) var wanted = Wanted.word(.command)
    /// The store that an option names.
    private(set) var store: String?

    /// Reads the words behind the program's name, the last one as far as it was typed.
    init(_ words: [String]) {
        typed = words.last ?? ""
        var open: String?
        var given: Set<String> = []
        var count = 0
        var isOver = false
        for word in words.dropLast() {
            if let option = open {
                add(word, for: option)
                open = nil
            } else if isOver {
                count += 1
            } else if word == "--" {
                isOver = true
            } else if word.hasPrefix("--") {
                let (name, value) = Arguments.parts(ofOption: word)
                given.insert(name)
                if let value {
                    add(value, for: name)
                } else if values.contains(name) {
                    open = name
                }
            } else if command == nil {
                command = Tandem.command(word)
                // Of a command that is unknown nothing is known.
                if command == nil { wanted = .word(.free) }
                if ToDoView(rawValue: word) != nil { count = 1 }
                guard command != nil else { return }
            } else {
                count += 1
            }
        }
        decide(open, given, count, isOver)
    }

    private mutating func decide(
        _ open: String?, _ given: Set<String>, _ count: Int, _ isOver: Bool
    ) {
        if let option = open {
            wanted = .word(kind(ofValue: option))
        } else if typed.hasPrefix("--"), !isOver {
            let (name, value) = Arguments.parts(ofOption: typed)
            guard let value else {
                wanted = .option(given: given)
                return
            }
            prefix = "--\(name)="
            typed = value
            wanted = .word(values.contains(name) ? kind(ofValue: name) : .free)
        } else if let command {
            let kinds = CompletionTable.kinds(of: command)
            let kind = kinds[min(count, kinds.count - 1)]
            if case .todo = kind {
                wanted = .word(kind)
            } else {
                // Behind `--` there are titles only.
                wanted = .word(isOver && command.keepsSeparator ? .free : kind)
            }
        }
    }

    private var values: [String] { (command?.values ?? []) + Tandem.commonValues }

    private func kind(ofValue option: String) -> CompletionKind {
        CompletionTable.value(of: option, command ?? HelpCommand<Tandem>.self)
    }

    private mutating func add(_ value: String, for option: String) {
        if option == "store" { store = value }
    }
}
