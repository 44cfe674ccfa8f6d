import ToDo

/// A parsed command line: words, options with a value, and flags.
///
/// Options stand before or after words; `--` ends them. Single hyphens belong to words (`-tag`).
struct Arguments {
    /// The words that are neither option nor value, with everything after `--`, and `--` itself on request.
    private(set) var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    /// The command, for refusals; empty if none is known.
    private let command: String

    /// The options that every command has and that take a value.
    static let commonValues = ["store"]
    /// The options that every command has and that take no value.
    static let commonFlags = ["json", "help", "no-input", "yes"]

    /// Parses a command line.
    ///
    /// - Parameters:
    ///   - command: the command, which refusals name.
    ///   - keepsSeparator: whether `--` stays among the words.
    init(
        _ line: [String], of command: String = "", values valueNames: [String] = [],
        flags flagNames: [String] = [],
        keepsSeparator: Bool = false
    ) throws {
        self.command = command
        let valueNames = valueNames + Self.commonValues
        let flagNames = flagNames + Self.commonFlags
        var rest = line[...]
        while let word = rest.popFirst() {
            if word == "--" {
                if keepsSeparator { words.append(word) }
                words.append(contentsOf: rest)
                break
            }
            if word == "-h" {
                flags.insert("help")
                continue
            }
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            let body = word.dropFirst(2)
            let cut = body.firstIndex(of: "=")
            let name = String(body[..<(cut ?? body.endIndex)])
            if flagNames.contains(name) {
                if cut != nil { throw refusal("--\(name) takes no value.") }
                flags.insert(name)
            } else if valueNames.contains(name) {
                if let cut {
                    values[name] = String(body[body.index(after: cut)...])
                } else if let value = rest.popFirst() {
                    values[name] = value
                } else {
                    throw refusal("--\(name) needs a value.")
                }
            } else {
                throw unknown(name, among: valueNames + flagNames)
            }
        }
    }

    private func unknown(_ name: String, among known: [String]) -> CommandFailure {
        let guess = Spelling.suggestion(for: name, among: known).map { " Did you mean --\($0)?" }
        let place = command.isEmpty ? "" : " of tandem \(command)"
        return refusal("there is no option --\(name)\(place).\(guess ?? "")")
    }

    /// A refusal with the next step.
    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure(
            .usage, reason + (command.isEmpty ? "" : " To see its use, run: tandem help \(command)")
        )
    }

    /// The value of an option.
    subscript(name: String) -> String? { values[name] }

    /// Whether a flag was given.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Refuses words where a command takes none.
    func refuseWords() throws {
        if let word = words.first {
            throw refusal("'\(word)' is not expected here.")
        }
    }
}
