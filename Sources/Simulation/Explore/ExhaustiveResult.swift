/// What came of running a small world once.
package struct ExhaustiveResult: Hashable, Sendable {
    /// How it ended, healed and judged.
    package var outcome: Outcome
    /// Stands for what each device held before all met at the end; empty if it did not come so far.
    package var states: [UInt64]
    /// The step that was refused, if one was; the world ended there.
    package var refused: Int?

    /// A result.
    package init(_ outcome: Outcome, states: [UInt64], refused: Int? = nil) {
        self.outcome = outcome
        self.states = states
        self.refused = refused
    }
}
