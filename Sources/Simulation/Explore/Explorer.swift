/// Runs the random stories of one seed after the other, and counts what happens in them.
package struct Explorer {
    private let plan: StoryPlan
    private let run: (Story) -> StoryResult
    /// What was run so far.
    package private(set) var report = ExplorationReport()

    /// An explorer.
    ///
    /// - Parameter run: runs a story once.
    package init(plan: StoryPlan, run: @escaping (Story) -> StoryResult) {
        self.plan = plan
        self.run = run
    }

    /// Runs the story of one seed.
    package mutating func explore(seed: UInt64) -> Outcome {
        let story = StoryMaker.story(seed: seed, plan: plan)
        let result = run(story)
        report.take(story, result, seed: seed)
        return result.outcome
    }

    /// Runs the stories of seeds from `first` on.
    ///
    /// - Parameters:
    ///   - count: the most seeds; nil for as many as there is time for.
    ///   - collects: whether to go on after a failure.
    ///   - isOver: asked before each seed whether to stop.
    package mutating func explore(
        from first: UInt64, count: Int?, collects: Bool, isOver: (ExplorationReport) -> Bool
    ) {
        var seed = first
        while count.map({ seed &- first < UInt64(clamping: $0) }) ?? true, !isOver(report) {
            let outcome = explore(seed: seed)
            if outcome.verdict != .passed, !collects { return }
            if report.failures.count >= ExplorationReport.failureCountMax { return }
            seed &+= 1
        }
    }
}
