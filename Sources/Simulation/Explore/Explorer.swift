import Core

/// Runs the random scenarios of one seed after the other, and counts what happens in them.
package struct Explorer {
    private let plan: ScenarioPlan
    private let run: (Scenario) -> ScenarioResult
    /// The results so far.
    package private(set) var report = ExplorationReport()

    /// An explorer.
    ///
    /// - Parameter run: runs a scenario once.
    package init(plan: ScenarioPlan, run: @escaping (Scenario) -> ScenarioResult) {
        self.plan = plan
        self.run = run
    }

    /// Runs the scenario of one seed.
    package mutating func explore(seed: UInt64) -> Outcome {
        let scenario = ScenarioMaker.scenario(seed: seed, plan: plan)
        let result = run(scenario)
        report.add(scenario, result, seed: seed)
        return result.outcome
    }

    /// Runs the scenarios of seeds from `first` on.
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

/// A plan for random scenarios.
package struct ScenarioPlan: Hashable, Sendable {
    /// How many devices a scenario begins with, at least and at most; at least one.
    package var replicaCount: ClosedRange<Int>
    /// How many steps a scenario has.
    package var stepCount: Int
    /// The faults that may happen; each scenario has some of them.
    package var faults: [FaultKind]

    /// The most devices that a scenario begins with.
    package static let replicaCountMax = 12

    /// A plan.
    package init(
        replicaCount: ClosedRange<Int> = 2...4, stepCount: Int = 80,
        faults: [FaultKind] = FaultKind.usual
    ) {
        self.replicaCount = replicaCount
        self.stepCount = stepCount
        self.faults = faults
    }
}

/// The results of an exploration.
package struct ExplorationReport: Hashable, Sendable {
    /// A scenario that did not pass.
    package struct Failure: Hashable, Sendable {
        /// Its seed.
        package var seed: UInt64
        /// How it ended.
        package var outcome: Outcome
    }

    /// After so many failures an exploration ends: they are all one by then.
    package static let failureCountMax = 200

    /// How many scenarios were run.
    package private(set) var scenarioCount = 0
    /// How many steps were carried out.
    package private(set) var stepCount = 0
    /// How many events the worlds went through.
    package private(set) var eventCount = 0
    /// How many steps were refused.
    package private(set) var refusedCount = 0
    /// In how many scenarios each fault was struck at least once.
    package private(set) var faultCounts: [FaultKind: Int] = [:]
    /// How many steps there were of each sort.
    package private(set) var kindCounts: [EventKind: Int] = [:]
    /// The counts of the worlds.
    package private(set) var counts: [String: Int] = [:]
    /// How many scenarios ended how.
    package private(set) var verdicts: [Verdict: Int] = [:]
    /// The scenarios that did not pass, in order.
    package private(set) var failures: [Failure] = []
    /// Tells these runs from all others: of the trace hashes of all scenarios, in their order.
    package private(set) var traceHash: UInt64 = 0

    /// Nothing was run yet.
    package init() {}

    mutating func add(_ scenario: Scenario, _ result: ScenarioResult, seed: UInt64) {
        let outcome = result.outcome
        scenarioCount += 1
        stepCount += outcome.stepCount
        eventCount += outcome.eventCount
        refusedCount += result.refused.count
        verdicts[outcome.verdict, default: 0] += 1
        for (what, number) in result.counts { counts[what, default: 0] += number }
        var struck: Set<FaultKind> = []
        for step in scenario.steps {
            kindCounts[step.event.kind, default: 0] += 1
            if let fault = step.fault { struck.insert(fault) }
        }
        for fault in struck { faultCounts[fault, default: 0] += 1 }
        traceHash = Chance.mixed(traceHash ^ outcome.traceHash) &+ 0x9e37_79b9_7f4a_7c15
        if outcome.verdict != .passed { failures.append(Failure(seed: seed, outcome: outcome)) }
    }
}
