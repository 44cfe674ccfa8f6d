import Simulation

/// A random story that failed: shrunk, written down, shown.
struct FoundStory {
    let seed: UInt64
    let plan: StoryPlan
    let outcome: Outcome
    /// The story as it was drawn, or its shortest form.
    private(set) var story: Story
    /// How many runs it took to shrink it.
    private(set) var runCount = 0

    /// The story of a seed that ended so.
    init(seed: UInt64, plan: StoryPlan, outcome: Outcome) {
        self.seed = seed
        self.plan = plan
        self.outcome = outcome
        story = StoryMaker.story(seed: seed, plan: plan)
    }

    /// Makes it shorter.
    mutating func shrink(runCountMax: Int) {
        var shrinker = Shrinker(verdict: outcome.verdict, runCountMax: runCountMax) {
            World.play($0)
        }
        story = shrinker.annotate(shrinker.shrink(story))
        runCount = shrinker.runCount
    }

    /// The command that runs the seed again.
    var replay: String { "simulate explore --replay \(seed) \(PlanOptions.words(plan))" }

    /// Writes it to a file, with what is wrong as remarks at its head.
    func write(to path: String) throws {
        let ended = World.play(story).outcome
        let head = """
            # \(ended.verdict.word): \(Self.line(ended.detail))
            # found by: \(replay)


            """
        try Files.write(head + StoryWriter.text(of: story), to: path)
    }

    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }

    /// Tells a person all about it.
    func tell(path: String?) {
        var options = WorldOptions()
        options.keepsChronicle = true
        let world = World(story, options: options)
        let ended = world.run()
        world.end()
        Terminal.line(Terminal.bold("seed \(seed)"))
        Terminal.write(Ending.text(of: story, ended, world.chronicle))
        if let path {
            Terminal.line(
                "shrunk to \(Number.counted(story.steps.count, "step")) in "
                    + "\(Number.counted(runCount, "run")); replay with:")
            Terminal.line("  simulate run \(path)")
        }
        Terminal.line("the whole story of the seed:")
        Terminal.line("  \(replay)")
    }
}
