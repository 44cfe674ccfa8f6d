/// Words that may not be written, and where.
enum WordRules {
    /// Phrases that let two runs of the same events differ, or reach the world past the Shell.
    private static let nondeterministic: [(phrase: String, reason: String)] = [
        ("Foundation", "Foundation stays above the Engine"),
        ("FoundationEssentials", "Foundation stays above the Engine"),
        ("Dispatch", "threads belong to Shell"),
        ("Date()", "time is an argument"),
        ("Date.now", "time is an argument"),
        ("ContinuousClock", "time is an argument"),
        ("SuspendingClock", "time is an argument"),
        ("clock_gettime", "time is an argument"),
        ("gettimeofday", "time is an argument"),
        (".random(", "chance is an argument: draw from a seeded generator"),
        ("SystemRandomNumberGenerator", "chance is an argument: draw from a seeded generator"),
        ("getrandom", "chance is an argument: draw from a seeded generator"),
        ("shuffled()", "chance is an argument: shuffled(using:)"),
        ("shuffle()", "chance is an argument: shuffle(using:)"),
        ("Task {", "concurrency belongs to Shell"),
        ("Task.", "concurrency belongs to Shell"),
        ("Task(", "concurrency belongs to Shell"),
        ("print(", "output belongs to the programs"),
        ("getenv", "the environment is read by the programs"),
    ]

    /// Phrases that no Swift file may have in its code.
    private static let banned: [(phrase: String, reason: String)] = [
        ("try!", "handle the error or let it through"),
        ("@testable", "tests use the package doors"),
    ]

    /// Comments that put work off.
    private static let postponing = ["TODO", "FIXME"]

    /// Words with which no line of a comment begins: a comment names its subject first.
    private static let openings: Set<String> = ["What", "Who", "That", "Those"]
    /// The most such lines in the tree.
    static let openingCountMax = 100

    /// Texts for people that name a command of the program: only Tools knows the command line.
    ///
    /// - Parameter commands: the names of the program's commands.
    static func commandFindings(in file: SourceFile, commands: Set<String>) -> [Finding] {
        file.swift.literals.enumerated().compactMap { index, line in
            let words = line.split { !($0.isNamePart || $0 == "-") }.map { String($0) }
            // What keys and seals are for is named so, with a version: "tandem summary 1".
            if words.count == 3, words[0] == "tandem", Int(words[2]) != nil { return nil }
            let named = zip(words, words.dropFirst()).first {
                $0 == "tandem" && commands.contains($1)
            }
            return named.map {
                file.finding(
                    index, "'tandem \($0.1)': advice that names a command exists only in Tools")
            }
        }
    }

    /// Texts for people that speak of the reader: that is a role of the pages, or code, and whoever is told has a name.
    ///
    /// The phrase may begin in one literal or line and end in the next.
    static func readerFindings(in file: SourceFile) -> [Finding] {
        let words = file.swift.literals.enumerated().flatMap { index, line in
            line.names.map { (line: index, word: $0.lowercased()) }
        }
        return zip(words, words.dropFirst()).filter {
            $0.word == "the" && ["reader", "readers"].contains($1.word)
        }.map {
            file.finding(
                $0.0.line,
                "'\($0.0.word) \($0.1.word)': say this device, the other device or who it is"
            )
        }
    }

    /// The names of the program's commands, as their declarations give them.
    static func commandNames(in files: [SourceFile]) -> Set<String> {
        let start = "static let name = \""
        return Set(
            files.flatMap(\.swift.uncommented).map(\.trimmed).filter { $0.hasPrefix(start) }
                .map { String($0.dropFirst(start.count).prefix { $0 != "\"" }) })
    }

    /// Lines of comments that begin with a word that stands for a noun.
    static func openingFindings(in file: SourceFile) -> [Finding] {
        file.swift.comments.enumerated().compactMap { index, line in
            let text = line.trimmed
            guard text.hasPrefix("//"), let word = text.names.first, openings.contains(word),
                text.drop(while: { $0 == "/" || $0 == " " }).hasPrefix(word)
            else { return nil }
            return file.finding(index, "a comment names its subject first, not '\(word)'")
        }
    }

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        let isDeterministic = FloorTable.deterministicFolders.contains {
            file.path.hasPrefix($0 + "/")
        }
        let rules = banned + (isDeterministic ? nondeterministic : [])
        for (index, line) in file.swift.code.enumerated() {
            for rule in rules where line.containsPhrase(rule.phrase) {
                findings.append(file.finding(index, "'\(rule.phrase)': \(rule.reason)"))
            }
        }
        for (index, line) in file.swift.comments.enumerated() {
            for word in postponing where line.containsPhrase(word) {
                findings.append(file.finding(index, "'\(word)': do it, or write an issue"))
            }
        }
        return findings
    }
}
