import Core
import JSON
import Simulation
import Terminal

/// Runs random scenarios.
enum ExploreCommand: Command {
    static let name = "explore"
    static let summary = "Run random scenarios and shrink the first that fails"
    static let help = """
          simulate explore --for 60
          simulate explore --seed 4711 --count 1000 --faults cut,kill,power-cut --collect
          simulate explore --replay 17 --faults all
          simulate explore --known

          --seed N        the first seed (1), or the hash of a commit
          --count K       how many seeds
          --for SECONDS   how long; without --count and --for 100 seeds
        \(PlanOptions.help)
          --collect       goes on after a failure, and lists all
          --shrink-to F   where the shrunken scenario goes (seed-N.scenario)
          --shrink-runs K
                          how often the scenario may be run to shrink it (4000; 0: not at all)
          --replay SEED   runs one seed, and prints its scenario
          --known         runs every seed of Tools/simulate/seeds.txt, or of --list FILE

        Ends with 0 if all passed, else with the number of the first failure (simulate help run).
        """
    static let values =
        ["seed", "count", "for", "shrink-to", "shrink-runs", "replay", "list"] + PlanOptions.values
    static let flags = ["collect", "known"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        if arguments.has("known") { return try runKnown(arguments) }
        let plan = try PlanOptions.plan(arguments)
        if let seed = try arguments.seed("replay") { return try replay(seed, plan, arguments) }
        let first = try arguments.seed("seed") ?? 1
        let seconds = try arguments.number("for", in: 1...1_000_000)
        let count = try arguments.number("count", in: 1...1_000_000_000)
        var explorer = Explorer(plan: plan) { World.play($0) }
        let watch = Stopwatch()
        var shown = 0.0
        explorer.explore(
            from: first, count: count ?? (seconds == nil ? 100 : nil),
            collects: arguments.has("collect")
        ) { report in
            let now = watch.seconds
            if Screen.showsProgress, now - shown > 0.2 {
                shown = now
                let failures = report.failures.isEmpty ? "" : ", \(report.failures.count) failed"
                Screen.progress(
                    "\(Number.counted(report.scenarioCount, "scenario", "scenarios"))\(failures)")
            }
            return seconds.map { now >= Double($0) } ?? false
        }
        Screen.progress("")
        let report = explorer.report
        try tellFailures(report, plan, arguments)
        Totals.tell(report, from: first, seconds: watch.seconds, isJSON: arguments.has("json"))
        return report.failures.first?.outcome.verdict.exitCode ?? .ok
    }

    private static func tellFailures(
        _ report: ExplorationReport, _ plan: ScenarioPlan, _ arguments: Arguments
    ) throws {
        guard let first = report.failures.first, !arguments.has("json") else { return }
        if arguments.has("collect") {
            for failure in report.failures {
                let words = Screen.urgent(failure.outcome.verdict.word)
                Screen.line("seed \(failure.seed): \(words): \(failure.outcome.detail)")
            }
            return
        }
        let runCountMax = try arguments.number("shrink-runs", in: 0...1_000_000) ?? 4_000
        let path = arguments["shrink-to"] ?? "seed-\(first.seed).scenario"
        var found = FoundScenario(seed: first.seed, plan: plan, outcome: first.outcome)
        if runCountMax > 0 {
            found.shrink(runCountMax: runCountMax)
            try found.write(to: path)
        }
        found.tell(path: runCountMax > 0 ? path : nil)
    }

    // MARK: One seed

    private static func replay(
        _ seed: UInt64, _ plan: ScenarioPlan, _ arguments: Arguments
    ) throws -> ExitCode {
        let scenario = ScenarioMaker.scenario(seed: seed, plan: plan)
        let outcome = World.play(scenario).outcome
        if arguments.has("json") {
            Screen.line(
                JSONValue.named([("seed", .number(seed))] + Ending.json(outcome, of: scenario)))
            return outcome.verdict.exitCode
        }
        if outcome.verdict != .passed, let path = arguments["shrink-to"] {
            let runCountMax = try arguments.number("shrink-runs", in: 1...1_000_000) ?? 4_000
            var found = FoundScenario(seed: seed, plan: plan, outcome: outcome)
            found.shrink(runCountMax: runCountMax)
            try found.write(to: path)
            found.tell(path: path)
            return outcome.verdict.exitCode
        }
        Screen.write(ScenarioWriter.text(of: scenario))
        let hash = Hexadecimal.text(outcome.traceHash)
        Screen.line(
            "# \(outcome.verdict.word), \(Number.counted(outcome.eventCount, "event")), trace \(hash)"
        )
        if !outcome.detail.isEmpty { Screen.line("# \(outcome.detail)") }
        return outcome.verdict.exitCode
    }

    // MARK: Known seeds

    private static func runKnown(_ arguments: Arguments) throws -> ExitCode {
        let entries = try KnownSeeds.read(arguments["list"] ?? KnownSeeds.path)
        var code = ExitCode.ok
        for entry in entries {
            let outcome = World.play(ScenarioMaker.scenario(seed: entry.seed, plan: entry.plan))
                .outcome
            let replay = "simulate explore --replay \(entry.seed) \(PlanOptions.words(entry.plan))"
            if arguments.has("json") {
                Screen.line(
                    JSONValue.named([("seed", .number(entry.seed))] + Ending.json(outcome)))
            } else if outcome.verdict != .passed {
                let words = Screen.urgent(outcome.verdict.word)
                Screen.line("seed \(entry.seed): \(words): \(outcome.detail)")
                Screen.line("  it was: \(entry.remark)")
                Screen.line("  \(replay)")
            }
            if code == .ok { code = outcome.verdict.exitCode }
        }
        if !arguments.has("json") {
            let seeds = Number.counted(entries.count, "known seed")
            Screen.line(seeds + (code == .ok ? " passed" : ""))
        }
        return code
    }
}
