import Core

/// Makes a failing story shorter and simpler, as long as it ends in the same verdict.
///
/// Steps are left out in chunks that become smaller (delta debugging: Zeller and Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28, 2002), then devices, then what is
/// left is made simpler; all of it again until nothing more gives way or the runs are used up.
/// The same story shrinks the same way every time.
package struct Shrinker {
    private let run: (Story) -> StoryResult
    private let verdict: Verdict
    private let runCountMax: Int
    /// How many runs were needed so far.
    package private(set) var runCount = 0
    private var tried: Set<Story> = []

    /// A shrinker.
    ///
    /// - Parameters:
    ///   - verdict: how the story ends, and has to end still when it is shorter.
    ///   - runCountMax: after so many runs it is short enough.
    ///   - run: runs a story once.
    package init(
        verdict: Verdict, runCountMax: Int = 4_000, run: @escaping (Story) -> StoryResult
    ) {
        self.verdict = verdict
        self.runCountMax = runCountMax
        self.run = run
    }

    /// The shortest story found.
    package mutating func shrink(_ story: Story) -> Story {
        var story = story
        let first = run(story)
        runCount += 1
        guard first.outcome.verdict == verdict else { return story }
        if let end = first.outcome.step {
            adopt(&story) { $0.steps = Array($0.steps.prefix(end + 1)) }
        }
        adopt(&story) { candidate in
            let refused = Set(first.refused)
            candidate.steps = candidate.steps.enumerated()
                .filter { !refused.contains($0.offset) }.map(\.element)
        }
        while runCount < runCountMax {
            let before = story
            dropSteps(&story)
            dropDevices(&story)
            simplifyHeadings(&story)
            for place in story.steps.indices { simplify(place, of: &story) }
            uniteItems(&story)
            if story == before { break }
        }
        return story
    }

    /// The story without `lenient` if it can be: steps that are refused say so themselves.
    package mutating func annotate(_ story: Story) -> Story {
        guard story.isLenient else { return story }
        var strict = story
        for place in run(story).refused where story.steps.indices.contains(place) {
            strict.steps[place].refusal = .anyReason
        }
        strict.isLenient = false
        runCount += 2
        guard run(strict).outcome.verdict == verdict,
            (try? StoryReader.read(StoryWriter.text(of: strict))) == strict
        else { return story }
        return strict
    }

    // MARK: Trying

    /// Takes a changed story over if it still fails the same way.
    @discardableResult
    private mutating func adopt(_ story: inout Story, _ change: (inout Story) -> Void) -> Bool {
        var candidate = story
        change(&candidate)
        candidate.dropDangling()
        guard candidate != story, runCount < runCountMax, tried.insert(candidate).inserted else {
            return false
        }
        runCount += 1
        guard run(candidate).outcome.verdict == verdict else { return false }
        story = candidate
        return true
    }

    // MARK: Less

    private mutating func dropSteps(_ story: inout Story) {
        var size = max(1, story.steps.count / 2)
        while true {
            // From the end: what comes late depends on what comes early.
            var end = story.steps.count
            while end > 0 {
                let range = max(0, end - size)..<min(end, story.steps.count)
                adopt(&story) { $0.steps.removeSubrange(range) }
                end = min(range.lowerBound, story.steps.count)
            }
            if size == 1 { return }
            size = (size + 1) / 2
        }
    }

    private mutating func dropDevices(_ story: inout Story) {
        for device in story.devices.reversed() where story.devices.count > 1 {
            adopt(&story) { $0.devices.removeAll { $0.name == device.name } }
        }
    }

    // MARK: Simpler

    private mutating func simplifyHeadings(_ story: inout Story) {
        for place in story.devices.indices {
            adopt(&story) { $0.devices[place].isDurable = false }
            adopt(&story) { $0.devices[place].isNewer = false }
            adopt(&story) { $0.devices[place].isForeign = false }
        }
        adopt(&story) { $0.policy = .deletesWin }
        adopt(&story) { $0.meetsOnlyAtRelays = false }
        adopt(&story) { $0.isPlain = false }
        adopt(&story) { $0.brakeCount = nil }
        adopt(&story) { $0.seed = 1 }
    }

    private mutating func simplify(_ place: Int, of story: inout Story) {
        guard story.steps.indices.contains(place) else { return }
        adopt(&story) { $0.steps[place].isElsewhere = false }
        // Each of the simpler ones may have simpler ones yet.
        for _ in 0..<40 where story.steps.indices.contains(place) {
            let relays = Set(story.devices.filter(\.isRelay).map(\.name))
            let simpler = story.steps[place].action.simpler.filter { action in
                // No line says so.
                if case .sync(let one, let other) = action {
                    return relays.isDisjoint(with: [one, other])
                }
                return true
            }
            let isSimpler = simpler.contains { action in
                adopt(&story) { $0.steps[place].action = action }
            }
            guard isSimpler else { return }
        }
    }

    /// Tells of one item what is told of two.
    private mutating func uniteItems(_ story: inout Story) {
        for item in story.items.dropFirst().reversed() {
            for other in story.items.prefix(while: { $0 != item }) {
                let isUnited = adopt(&story) { story in
                    for place in story.steps.indices {
                        story.steps[place].action = story.steps[place].action
                            .renamingItem(item, to: other)
                    }
                }
                if isUnited { break }
            }
        }
    }
}
