import Core

/// Makes a failing scenario shorter and simpler, as long as it ends in the same verdict.
///
/// Steps are left out in chunks that become smaller (delta debugging: Zeller and Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28, 2002), then devices, then what is
/// left is made simpler; all of it again until nothing more gives way or the runs are used up.
/// The same scenario shrinks the same way every time.
package struct Shrinker {
    private let run: (Scenario) -> ScenarioResult
    private let verdict: Verdict
    private let runCountMax: Int
    /// How many runs were needed so far.
    package private(set) var runCount = 0
    private var tried: Set<Scenario> = []

    /// A shrinker.
    ///
    /// - Parameters:
    ///   - verdict: how the scenario ends, and has to end still when it is shorter.
    ///   - runCountMax: after so many runs it is short enough.
    ///   - run: runs a scenario once.
    package init(
        verdict: Verdict, runCountMax: Int = 4_000, run: @escaping (Scenario) -> ScenarioResult
    ) {
        self.verdict = verdict
        self.runCountMax = runCountMax
        self.run = run
    }

    /// The shortest scenario found.
    package mutating func shrink(_ scenario: Scenario) -> Scenario {
        var scenario = scenario
        let first = run(scenario)
        runCount += 1
        guard first.outcome.verdict == verdict else { return scenario }
        if let end = first.outcome.step {
            adopt(&scenario) { $0.steps = Array($0.steps.prefix(end + 1)) }
        }
        adopt(&scenario) { candidate in
            let refused = Set(first.refused)
            candidate.steps = candidate.steps.enumerated()
                .filter { !refused.contains($0.offset) }.map(\.element)
        }
        while runCount < runCountMax {
            let before = scenario
            dropSteps(&scenario)
            dropDevices(&scenario)
            simplifyHeadings(&scenario)
            for index in scenario.steps.indices { simplify(index, of: &scenario) }
            uniteItems(&scenario)
            if scenario == before { break }
        }
        return scenario
    }

    /// The scenario without `lenient` if it can be: steps that are refused say so themselves.
    package mutating func annotate(_ scenario: Scenario) -> Scenario {
        guard scenario.isLenient else { return scenario }
        var strict = scenario
        for index in run(scenario).refused where scenario.steps.indices.contains(index) {
            strict.steps[index].refusal = .anyReason
        }
        strict.isLenient = false
        runCount += 2
        guard run(strict).outcome.verdict == verdict,
            (try? ScenarioReader.read(ScenarioWriter.text(of: strict))) == strict
        else { return scenario }
        return strict
    }

    // MARK: Trying

    /// Takes a changed scenario over if it still fails the same way.
    @discardableResult
    private mutating func adopt(
        _ scenario: inout Scenario, _ change: (inout Scenario) -> Void
    ) -> Bool {
        var candidate = scenario
        change(&candidate)
        candidate.dropDangling()
        guard candidate != scenario, runCount < runCountMax, tried.insert(candidate).inserted else {
            return false
        }
        runCount += 1
        guard run(candidate).outcome.verdict == verdict else { return false }
        scenario = candidate
        return true
    }

    // MARK: Less

    private mutating func dropSteps(_ scenario: inout Scenario) {
        var size = max(1, scenario.steps.count / 2)
        while true {
            // From the end: what comes late depends on what comes early.
            var end = scenario.steps.count
            while end > 0 {
                let range = max(0, end - size)..<min(end, scenario.steps.count)
                adopt(&scenario) { $0.steps.removeSubrange(range) }
                end = min(range.lowerBound, scenario.steps.count)
            }
            if size == 1 { return }
            size = (size + 1) / 2
        }
    }

    private mutating func dropDevices(_ scenario: inout Scenario) {
        for device in scenario.devices.reversed() where scenario.devices.count > 1 {
            adopt(&scenario) { $0.devices.removeAll { $0.name == device.name } }
        }
    }

    // MARK: Simpler

    private mutating func simplifyHeadings(_ scenario: inout Scenario) {
        for index in scenario.devices.indices {
            adopt(&scenario) { $0.devices[index].isDurable = false }
            adopt(&scenario) { $0.devices[index].isNewer = false }
            adopt(&scenario) { $0.devices[index].isForeign = false }
            adopt(&scenario) { $0.devices[index].database = nil }
        }
        adopt(&scenario) { $0.policy = .deletesWin }
        adopt(&scenario) { $0.meetsOnlyAtRelays = false }
        adopt(&scenario) { $0.isPlain = false }
        adopt(&scenario) { $0.massDeleteGuardCount = nil }
        adopt(&scenario) { $0.seed = 1 }
    }

    private mutating func simplify(_ index: Int, of scenario: inout Scenario) {
        guard scenario.steps.indices.contains(index) else { return }
        adopt(&scenario) { $0.steps[index].isElsewhere = false }
        // Each of the simpler ones may have simpler ones yet.
        for _ in 0..<40 where scenario.steps.indices.contains(index) {
            let relays = Set(scenario.devices.filter(\.isRelay).map(\.name))
            let simpler = scenario.steps[index].event.family.simpler.filter { event in
                // No line says so.
                if case .meeting(.sync(let one, let other)) = event {
                    return relays.isDisjoint(with: [one, other])
                }
                return true
            }
            let isSimpler = simpler.contains { event in
                adopt(&scenario) { $0.steps[index].event = event }
            }
            guard isSimpler else { return }
        }
    }

    /// Tells of one item what is told of two.
    private mutating func uniteItems(_ scenario: inout Scenario) {
        for item in scenario.items.dropFirst().reversed() {
            for other in scenario.items.prefix(while: { $0 != item }) {
                let isUnited = adopt(&scenario) { scenario in
                    for index in scenario.steps.indices {
                        scenario.steps[index].event = scenario.steps[index].event
                            .renamingItem(item, to: other)
                    }
                }
                if isUnited { break }
            }
        }
    }
}
