/// What a search of all small worlds came to.
package struct ExhaustiveReport: Hashable, Sendable {
    /// Programs that were run, healed and judged.
    package internal(set) var runCount = 0
    /// Programs that end as a shorter one does, which was run: an operation of theirs is refused or
    /// changes nothing, or two operations change the same.
    package internal(set) var alikeCount = 0
    /// Programs that are another one with the devices renamed.
    package internal(set) var mirroredCount = 0
    /// Programs that belong to other slices.
    package internal(set) var elsewhereCount = 0
    /// How many events the worlds went through.
    package internal(set) var eventCount = 0
    /// Tells these runs from all others.
    package internal(set) var traceHash: UInt64 = 0
    /// The stories that did not pass, the first ones, and how they ended.
    package internal(set) var failures: [Failure] = []

    /// A story that did not pass.
    package struct Failure: Hashable, Sendable {
        /// It.
        package var story: Story
        /// How it ended.
        package var outcome: Outcome
    }

    /// Nothing was run yet.
    package init() {}

    /// How many programs are accounted for.
    package var coveredCount: Int { runCount + alikeCount + mirroredCount }
}
