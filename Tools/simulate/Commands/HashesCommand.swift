import Core
import JSON
import Simulation
import Terminal

/// Prints what tells runs from each other, to compare processes, builds and machines.
enum HashesCommand: Command {
    static let name = "hashes"
    static let summary = "Print the verdict and trace hash of each seed's run"
    static let help = """
          simulate hashes --seed 1 --count 100 >debug.txt

          --seed N        the first seed (1), or the hash of a commit
          --count K       how many seeds (20)
        \(PlanOptions.help)

        The lines are the same in every process, build and machine: seed, verdict, events, trace hash.
        """
    static let values = ["seed", "count"] + PlanOptions.values

    static func run(_ arguments: Arguments) throws -> ExitCode {
        try arguments.refuseWords()
        let plan = try PlanOptions.plan(arguments)
        let first = try arguments.seed("seed") ?? 1
        let count = try arguments.number("count", in: 1...1_000_000) ?? 20
        for offset in 0..<UInt64(count) {
            let seed = first &+ offset
            let outcome = World.play(ScenarioMaker.scenario(seed: seed, plan: plan)).outcome
            if arguments.has("json") {
                Screen.line(JSONValue.named([("seed", .number(seed))] + Ending.json(outcome)))
            } else {
                let hash = Hexadecimal.text(outcome.traceHash)
                Screen.line("\(seed) \(outcome.verdict.rawValue) \(outcome.eventCount) \(hash)")
            }
        }
        return .ok
    }
}
