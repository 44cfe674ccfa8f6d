/// What came of running a story once.
package struct StoryResult: Hashable, Sendable {
    /// How it ended.
    package var outcome: Outcome
    /// The steps that were refused, in order; count from 0.
    package var refused: [Int]
    /// How often what happened.
    package var counts: [String: Int]

    /// A result.
    package init(_ outcome: Outcome, refused: [Int] = [], counts: [String: Int] = [:]) {
        self.outcome = outcome
        self.refused = refused
        self.counts = counts
    }
}
