/// How a story ended.
package struct Outcome: Hashable, Sendable {
    /// In one word.
    package var verdict: Verdict
    /// What was wrong, in a sentence; empty if nothing was.
    package var detail: String
    /// The step at which it ended; counts from 0; nil if it was after the last one.
    package var step: Int?
    /// How many steps were carried out.
    package var stepCount: Int
    /// How many events the world went through.
    package var eventCount: Int
    /// Tells this run from every other one: equal only if every event was the same.
    package var traceHash: UInt64

    /// An ending.
    package init(
        _ verdict: Verdict, detail: String = "", step: Int? = nil, stepCount: Int = 0,
        eventCount: Int = 0, traceHash: UInt64 = 0
    ) {
        self.verdict = verdict
        self.detail = detail
        self.step = step
        self.stepCount = stepCount
        self.eventCount = eventCount
        self.traceHash = traceHash
    }
}
