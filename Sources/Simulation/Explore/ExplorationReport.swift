/// What an exploration came to.
package struct ExplorationReport: Hashable, Sendable {
    /// A story that did not pass.
    package struct Failure: Hashable, Sendable {
        /// Its seed.
        package var seed: UInt64
        /// How it ended.
        package var outcome: Outcome
    }

    /// After so many failures an exploration ends: they are all one by then.
    package static let failureCountMax = 200

    /// How many stories were run.
    package private(set) var storyCount = 0
    /// How many steps were carried out.
    package private(set) var stepCount = 0
    /// How many events the worlds went through.
    package private(set) var eventCount = 0
    /// How many steps were refused.
    package private(set) var refusedCount = 0
    /// In how many stories each fault was struck at least once.
    package private(set) var faultCounts: [FaultKind: Int] = [:]
    /// How many steps there were of each sort.
    package private(set) var actionCounts: [ActionKind: Int] = [:]
    /// What the worlds counted.
    package private(set) var counts: [String: Int] = [:]
    /// How many stories ended how.
    package private(set) var verdicts: [Verdict: Int] = [:]
    /// The stories that did not pass, in order.
    package private(set) var failures: [Failure] = []
    /// Tells these runs from all others: of the trace hashes of all stories, in their order.
    package private(set) var traceHash: UInt64 = 0

    /// Nothing was run yet.
    package init() {}

    mutating func take(_ story: Story, _ result: StoryResult, seed: UInt64) {
        let outcome = result.outcome
        storyCount += 1
        stepCount += outcome.stepCount
        eventCount += outcome.eventCount
        refusedCount += result.refused.count
        verdicts[outcome.verdict, default: 0] += 1
        for (what, number) in result.counts { counts[what, default: 0] += number }
        var struck: Set<FaultKind> = []
        for step in story.steps {
            actionCounts[step.action.kind, default: 0] += 1
            if let fault = step.fault { struck.insert(fault) }
        }
        for fault in struck { faultCounts[fault, default: 0] += 1 }
        traceHash = Chance.mixed(traceHash ^ outcome.traceHash) &+ 0x9e37_79b9_7f4a_7c15
        if outcome.verdict != .passed { failures.append(Failure(seed: seed, outcome: outcome)) }
    }
}
