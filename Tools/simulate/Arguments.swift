import Simulation
import ToDo

/// A parsed command line: words, options with a value, and flags.
struct Arguments {
    /// The words that are neither option nor value.
    private(set) var words: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// The command, which refusals name.
    private let command: String

    private static let commonFlags = ["json", "help"]

    /// Parses a command line; `--` ends the options.
    init(
        _ line: [String], of command: String, values valueNames: [String], flags flagNames: [String]
    ) throws {
        self.command = command
        let flagNames = flagNames + Self.commonFlags
        var rest = line[...]
        while let word = rest.popFirst() {
            if word == "--" {
                words.append(contentsOf: rest)
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                words.append(word)
                continue
            }
            let body = word == "-h" ? "help" : word.drop { $0 == "-" }
            let cut = body.firstIndex(of: "=")
            let name = String(body[..<(cut ?? body.endIndex)])
            if flagNames.contains(name) {
                if cut != nil { throw refusal("--\(name) takes no value.") }
                flags.insert(name)
            } else if valueNames.contains(name) {
                guard
                    let value = cut.map({ String(body[body.index(after: $0)...]) })
                        ?? rest.popFirst()
                else { throw refusal("--\(name) needs a value.") }
                values[name] = value
            } else {
                let guess = Spelling.suggestion(for: name, among: valueNames + flagNames)
                throw refusal(
                    "there is no option --\(name) of simulate \(command)."
                        + (guess.map { " Did you mean --\($0)?" } ?? ""))
            }
        }
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

    /// A refusal with the next step.
    private func refusal(_ reason: String) -> CommandFailure {
        CommandFailure(
            ExitCode.usage, "\(reason) To see its use, run: simulate help \(command)")
    }

    /// The whole number of an option; nil if it was not given.
    func number(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw CommandFailure(
                ExitCode.usage,
                "--\(name) takes a number from \(range.lowerBound) to \(range.upperBound), "
                    + "not '\(text)'")
        }
        return number
    }

    /// The seed of an option: a number, or the name of a commit, of which the first 15 digits count.
    func seed(_ name: String) throws -> UInt64? {
        guard let text = values[name] else { return nil }
        if let number = UInt64(text) { return number }
        let digits = text.prefix(15)
        guard digits.count >= 7, let number = UInt64(digits, radix: 16) else {
            throw CommandFailure(
                ExitCode.usage, "--\(name) takes a number or the hash of a commit, not '\(text)'")
        }
        return number
    }
}
