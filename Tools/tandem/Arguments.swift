import ToDo

/// A command line, taken apart: words, options with a value, and flags.
///
/// Options stand before or after words; `--` ends them. Single hyphens belong to words (`-tag`).
struct Arguments {
    /// What is neither option nor value; with everything behind `--`, which itself is kept if asked for.
    private(set) var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// The options that every command has and that take a value.
    static let commonValues = ["store"]
    /// Those that take none.
    static let commonFlags = ["json", "help", "no-input", "yes"]

    /// Takes a command line apart.
    ///
    /// - Parameter keepsSeparator: whether the words tell where `--` stood.
    init(
        _ line: [String], values valueNames: [String] = [], flags flagNames: [String] = [],
        keepsSeparator: Bool = false
    ) throws {
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
                if cut != nil { throw CommandFailure(.usage, "--\(name) takes no value") }
                flags.insert(name)
            } else if valueNames.contains(name) {
                if let cut {
                    values[name] = String(body[body.index(after: cut)...])
                } else if let value = rest.popFirst() {
                    values[name] = value
                } else {
                    throw CommandFailure(.usage, "--\(name) needs a value")
                }
            } else {
                throw Self.unknown(name, among: valueNames + flagNames)
            }
        }
    }

    private static func unknown(_ name: String, among known: [String]) -> CommandFailure {
        let guess = Spelling.suggestion(for: name, among: known).map { "; did you mean --\($0)?" }
        return CommandFailure(.usage, "there is no option --\(name)\(guess ?? "")")
    }

    /// The value of an option.
    subscript(name: String) -> String? { values[name] }

    /// Whether a flag was given.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Refuses words where a command takes none.
    func refuseWords() throws {
        if let word = words.first {
            throw CommandFailure(.usage, "'\(word)' is not expected here")
        }
    }
}
