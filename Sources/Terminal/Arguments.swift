/// A parsed command line: words, options with a value, and flags.
///
/// Options stand before or after words; `--` ends them. In a program that allows it, words may begin with one
/// hyphen, as `-tag`; in any other, `-name` is the option `--name`.
package struct Arguments: Sendable {
    /// The words that are neither option nor value, with everything after `--`, and `--` itself for a command
    /// that keeps it.
    package private(set) var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []
    /// The program and the command, as a person types them after `help`.
    private let program: String
    private let command: String

    /// Parses what stands behind the name of a command.
    package init(
        _ line: some Sequence<String>, of command: any Command.Type, in program: any Program.Type
    ) throws(CommandFailure) {
        self.program = program.name
        self.command = command.name
        let valueNames = command.values + program.commonValues
        let flagNames = command.flags + program.commonFlags
        var rest = Array(line)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                if command.keepsSeparator { words.append(word) }
                words.append(contentsOf: rest)
                break
            }
            if word == "-h" {
                flags.insert("help")
                continue
            }
            guard Self.isOption(word, in: program) else {
                words.append(word)
                continue
            }
            let (name, given) = Self.parts(ofOption: word)
            if flagNames.contains(name) {
                if given != nil { throw refusal("--\(name) takes no value.") }
                flags.insert(name)
            } else if valueNames.contains(name) {
                guard let value = given ?? rest.popFirst() else {
                    throw refusal("--\(name) needs a value.")
                }
                values[name] = value
            } else {
                let meant = program.suggestion(for: name, among: valueNames + flagNames)
                throw refusal(
                    "there is no option --\(name) of \(program.name) \(command.name)."
                        + (meant.map { " Did you mean --\($0)?" } ?? ""))
            }
        }
    }

    private static func isOption(_ word: String, in program: any Program.Type) -> Bool {
        program.allowsHyphenWords ? word.hasPrefix("--") : word.hasPrefix("-") && word != "-"
    }

    /// The name of `--name` or `--name=value`, and the value if there is one.
    package static func parts(ofOption word: String) -> (name: String, value: String?) {
        let body = word.hasPrefix("--") ? word.dropFirst(2) : word.dropFirst()
        guard let cut = body.firstIndex(of: "=") else { return (String(body), nil) }
        return (String(body[..<cut]), String(body[body.index(after: cut)...]))
    }

    /// A refusal with the next step.
    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure(.usage, "\(reason) To see its use, run: \(program) help \(command)")
    }

    /// The value of an option.
    package subscript(name: String) -> String? { values[name] }

    /// Whether a flag was given.
    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Refuses words where a command takes none.
    package func refuseWords() throws(CommandFailure) {
        if let word = words.first {
            throw refusal("'\(word)' is not expected here.")
        }
    }

    /// The whole number of an option; nil if it was not given.
    package func number(
        _ name: String, in range: ClosedRange<Int>
    ) throws(CommandFailure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFailure(
                .usage,
                "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), "
                    + "not '\(text)'")
        }
        return number
    }
}
