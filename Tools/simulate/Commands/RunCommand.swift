import JSON
import Simulation
import Storage
import Terminal

/// Runs scenarios from files.
enum RunCommand: Command {
    static let name = "run"
    static let summary = "Run scenarios from files and show their verdicts"
    static let help = """
          simulate run milk.scenario
          simulate run Tools/simulate/Scenarios/*/*.scenario
          simulate run milk.scenario --trace --diagram milk.html --keep stores

          --diagram FILE  draws what happened, as a page for a browser (one scenario)
          --trace         tells every message and what came of it
          --plant STEP    carries out one step more: "12: laptop crashes after 3 disk writes" stands
                          before line 12, whose number and those behind it are one higher then
          --seed N        draws by another seed than the file's: a sound scenario ends the same
          --keep FOLDER   puts each device's store there, as real files (one scenario)

        FILE may be - for the standard input. Ends with 0 if all scenarios passed, else with the number
        of the first other ending:

        \(SimulatorEnding.text)
        With --json it writes one object for each scenario: file, verdict, exitCode, detail, line (in the
        file), stepNumber (from 1 on), stepText, failures (each expectation that was not met, with line,
        stepNumber and detail), stepsCarriedOut, eventsProcessed, trace; of a scenario that cannot be read: file, verdict, exitCode, and faults with line, column, message and hint.
        """
    static let values = ["diagram", "keep", "plant", "seed"]
    static let flags = ["trace"]

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard !arguments.words.isEmpty else {
            throw CommandFailure(.usage, "which scenario? (see: simulate help run)")
        }
        if arguments.words.count > 1, arguments["diagram"] ?? arguments["keep"] != nil {
            throw CommandFailure(.usage, "--diagram and --keep take one scenario")
        }
        var code = ExitCode.ok
        for path in arguments.words {
            let verdict = try run(path, arguments)
            if code == .ok { code = verdict.exitCode }
        }
        return code
    }

    private static func run(_ path: String, _ arguments: Arguments) throws -> Verdict {
        var bytes = try Files.read(path)
        if let step = arguments["plant"] { bytes = try planted(step, in: bytes) }
        let seed = try arguments.seed("seed")
        var scenario: Scenario
        do {
            scenario = try ScenarioReader.read(bytes)
        } catch {
            if arguments.has("json") {
                let faults = error.faults.map { fault in
                    JSONValue.named([
                        ("line", .number(fault.position.line)),
                        ("column", .number(fault.position.column)),
                        ("message", .text(fault.message)),
                        ("hint", fault.hint.map { JSONValue.text($0) } ?? .null),
                    ])
                }
                Screen.line(
                    JSONValue.named([
                        ("file", .text(path)),
                        ("verdict", .text(Verdict.badScenario.word)),
                        ("exitCode", .number(Verdict.badScenario.rawValue)),
                        ("faults", .array(faults)),
                    ]))
            } else {
                Screen.line(error.rendered(file: path))
            }
            return .badScenario
        }
        if let seed { scenario.seed = seed }
        var options = WorldOptions()
        options.keepsTrace = true
        let world = World(scenario, options: options)
        let outcome = world.run()
        world.end()
        tell(path, scenario, outcome, world, arguments)
        if let page = arguments["diagram"] {
            try Files.write(Diagram(world.trace).page.utf8, to: page)
        }
        if let folder = arguments["keep"] { try keep(world, in: folder) }
        return outcome.verdict
    }

    /// The text with one step more, which is given with the number of the line before which it stands.
    private static func planted(_ step: String, in bytes: [UInt8]) throws -> [UInt8] {
        let parts = step.split(separator: ":", maxSplits: 1)
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), (1...lines.count).contains(number)
        else {
            throw CommandFailure(
                .usage,
                "--plant takes a line's number, from 1 to \(lines.count), a colon and a step: "
                    + "--plant '12: laptop crashes after 3 disk writes'")
        }
        lines.insert(Array(parts[1].utf8)[...], at: number - 1)
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    private static func tell(
        _ path: String, _ scenario: Scenario, _ outcome: Outcome, _ world: World,
        _ arguments: Arguments
    ) {
        if arguments.has("json") {
            Screen.line(
                JSONValue.named([("file", .text(path))] + Ending.json(outcome, of: scenario)))
            return
        }
        if arguments.has("trace") { Screen.write(TraceText.text(of: world.trace)) }
        if outcome.verdict == .passed {
            let title: ShownText = scenario.title.isEmpty ? "" : Screen.faint("  \(scenario.title)")
            Screen.line("passed: \(path)\(title)")
        } else {
            Screen.write("\(path): " as ShownText + Ending.text(of: scenario, outcome, world.trace))
        }
    }

    /// Puts the files of all devices into a folder, a folder each.
    private static func keep(_ world: World, in folder: String) throws {
        try Files.makeFolder(folder)
        for (device, files) in world.files() {
            try Files.makeFolder("\(folder)/\(device)")
            for (path, bytes) in files {
                let name = path.split(separator: "/").last.map { String($0) } ?? path
                try Files.write(bytes, to: "\(folder)/\(device)/\(name)")
            }
        }
    }
}

/// The command `run` for other targets of this package.
package enum ScenarioRun {
    /// Runs scenarios as the words behind `simulate run` say.
    package static func run(_ words: [String]) throws -> ExitCode {
        try Simulate.run(["run"] + words)
    }
}
