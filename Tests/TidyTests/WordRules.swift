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
