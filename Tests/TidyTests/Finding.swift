/// One place in the tree that breaks a house rule.
struct Finding: Equatable, Comparable, CustomStringConvertible {
    /// Path from the package root.
    let path: String
    /// From 1; 0 when the file as a whole is meant.
    let line: Int
    /// The rule and what to do, in one sentence.
    let rule: String

    var description: String { line > 0 ? "\(path):\(line): \(rule)" : "\(path): \(rule)" }

    static func < (left: Finding, right: Finding) -> Bool {
        (left.path, left.line, left.rule) < (right.path, right.line, right.rule)
    }
}

extension [Finding] {
    /// One finding a line, for the message of a failed expectation.
    var listed: String { "\n" + sorted().map(\.description).joined(separator: "\n") }
}
