import Terminal

/// How many results are wanted.
enum Limit {
    /// Reads `--limit`; nil for no limit.
    static func read(_ word: String?, standard: Int?) throws -> Int? {
        guard let word else { return standard }
        guard let number = Int(word), number >= 0 else {
            throw CommandFailure(.usage, "--limit takes a number, not '\(word)'")
        }
        return number == 0 ? nil : number
    }
}
