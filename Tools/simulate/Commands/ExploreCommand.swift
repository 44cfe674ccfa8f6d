import JSON
import Simulation

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
          --shrink-to F   where the shrunken story goes (seed-N.scenario)
          --shrink-runs K
                          how often the story may be run to shrink it (4000; 0: not at all)
          --replay SEED   runs one seed, and prints its story
          --known         runs every seed of Tools/simulate/seeds.txt, or of --list FILE

        Ends with 0 if all passed, else with the number of the first failure (simulate help run).
        """
    static let values =
        ["seed", "count", "for", "shrink-to", "shrink-runs", "replay", "list"] + PlanOptions.values
    static let flags = ["collect", "known"]

    static func run(_ arguments: Arguments) throws -> Int32 {
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
            if Terminal.showsProgress, now - shown > 0.2 {
                shown = now
                let failures = report.failures.isEmpty ? "" : ", \(report.failures.count) failed"
                Terminal.progress(
                    "\(Number.counted(report.scenarioCount, "story", "stories"))\(failures)")
            }
            return seconds.map { now >= Double($0) } ?? false
        }
        Terminal.progress("")
        let report = explorer.report
        try tellFailures(report, plan, arguments)
        Totals.tell(report, from: first, seconds: watch.seconds, isJSON: arguments.has("json"))
        return report.failures.first?.outcome.verdict.rawValue ?? ExitCode.ok
    }

    private static func tellFailures(
        _ report: ExplorationReport, _ plan: ScenarioPlan, _ arguments: Arguments
    ) throws {
        guard let first = report.failures.first, !arguments.has("json") else { return }
        if arguments.has("collect") {
            for failure in report.failures {
                let words = Terminal.urgent(failure.outcome.verdict.word)
                Terminal.line("seed \(failure.seed): \(words): \(failure.outcome.detail)")
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
    ) throws -> Int32 {
        let scenario = ScenarioMaker.scenario(seed: seed, plan: plan)
        let outcome = World.play(scenario).outcome
        if arguments.has("json") {
            Terminal.line(
                JSONValue.named([("seed", .number(seed))] + Ending.json(outcome, of: scenario)))
            return outcome.verdict.rawValue
        }
        if outcome.verdict != .passed, let path = arguments["shrink-to"] {
            let runCountMax = try arguments.number("shrink-runs", in: 1...1_000_000) ?? 4_000
            var found = FoundScenario(seed: seed, plan: plan, outcome: outcome)
            found.shrink(runCountMax: runCountMax)
            try found.write(to: path)
            found.tell(path: path)
            return outcome.verdict.rawValue
        }
        Terminal.write(ScenarioWriter.text(of: scenario))
        let hash = Number.hexadecimal(outcome.traceHash)
        Terminal.line(
            "# \(outcome.verdict.word), \(Number.counted(outcome.eventCount, "event")), trace \(hash)"
        )
        if !outcome.detail.isEmpty { Terminal.line("# \(outcome.detail)") }
        return outcome.verdict.rawValue
    }

    // MARK: Known seeds

    private static func runKnown(_ arguments: Arguments) throws -> Int32 {
        let entries = try KnownSeeds.read(arguments["list"] ?? KnownSeeds.path)
        var code = ExitCode.ok
        for entry in entries {
            let outcome = World.play(ScenarioMaker.scenario(seed: entry.seed, plan: entry.plan))
                .outcome
            let replay = "simulate explore --replay \(entry.seed) \(PlanOptions.words(entry.plan))"
            if arguments.has("json") {
                Terminal.line(
                    JSONValue.named([("seed", .number(entry.seed))] + Ending.json(outcome)))
            } else if outcome.verdict != .passed {
                let words = Terminal.urgent(outcome.verdict.word)
                Terminal.line("seed \(entry.seed): \(words): \(outcome.detail)")
                Terminal.line("  it was: \(entry.remark)")
                Terminal.line("  \(replay)")
            }
            if code == ExitCode.ok { code = outcome.verdict.rawValue }
        }
        if !arguments.has("json") {
            let seeds = Number.counted(entries.count, "known seed")
            Terminal.line(seeds + (code == ExitCode.ok ? " passed" : ""))
        }
        return code
    }
}
