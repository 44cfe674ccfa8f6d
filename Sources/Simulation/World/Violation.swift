/// A promise that was broken, or an expectation that was not met.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which.
    package var verdict: Verdict
    /// What was wrong, in a sentence.
    package var description: String

    /// A broken promise.
    package init(_ verdict: Verdict, _ description: String) {
        self.verdict = verdict
        self.description = description
    }
}
