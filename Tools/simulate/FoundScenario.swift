import Simulation
import Terminal

/// A random scenario that failed: shrunk, written down, shown.
struct FoundScenario {
    let seed: UInt64
    let plan: ScenarioPlan
    let outcome: Outcome
    /// The scenario as it was drawn, or its shortest form.
    private(set) var scenario: Scenario
    /// How many runs it took to shrink it.
    private(set) var runCount = 0

    /// The scenario of a seed that ended so.
    init(seed: UInt64, plan: ScenarioPlan, outcome: Outcome) {
        self.seed = seed
        self.plan = plan
        self.outcome = outcome
        scenario = ScenarioMaker.scenario(seed: seed, plan: plan)
    }

    /// Makes it shorter.
    mutating func shrink(runCountMax: Int) {
        var shrinker = Shrinker(verdict: outcome.verdict, runCountMax: runCountMax) {
            World.play($0)
        }
        scenario = shrinker.annotate(shrinker.shrink(scenario))
        runCount = shrinker.runCount
    }

    /// The command that runs the seed again.
    var replay: String { "simulate explore --replay \(seed) \(PlanOptions.words(plan))" }

    /// Writes it to a file, with what is wrong as remarks at its head.
    func write(to path: String) throws {
        let ended = World.play(scenario).outcome
        let head = """
            # \(ended.verdict.word): \(Self.line(ended.detail))
            # found by: \(replay)


            """
        try Files.write((head + ScenarioWriter.text(of: scenario)).utf8, to: path)
    }

    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Tells a person all about it.
    func tell(path: String?) {
        var options = WorldOptions()
        options.keepsTrace = true
        let world = World(scenario, options: options)
        let ended = world.run()
        world.end()
        Screen.line(Screen.bold("seed \(seed)"))
        Screen.write(Ending.text(of: scenario, ended, world.trace))
        if let path {
            Screen.line(
                "shrunk to \(Number.counted(scenario.steps.count, "step")) in "
                    + "\(Number.counted(runCount, "run")); replay with:")
            Screen.line("  simulate run \(path)")
        }
        Screen.line("the whole scenario of the seed:")
        Screen.line("  \(replay)")
    }
}
