import Core
import JSON
import Simulation
import Storage
import Terminal

/// How a scenario ended, for a person.
enum Ending {
    /// The failure, its line of the scenario, and the last state of each device.
    static func text(of scenario: Scenario, _ outcome: Outcome, _ trace: Trace) -> ShownText {
        var lines: [ShownText] = [
            "\(Screen.urgent(outcome.verdict.word)): \(outcome.detail)"
        ]
        lines.append(location(of: outcome.step, in: scenario))
        for failure in outcome.failures.dropFirst() {
            lines.append("\(Screen.urgent("also failed")): \(failure.detail)")
            lines.append(location(of: failure.step, in: scenario))
        }
        let held = holdings(trace)
        if !held.isEmpty {
            lines.append(
                "what was seen last on each device; in brackets the number of the last write")
            lines.append(
                "of each device that it includes (its first write is the device's own name)")
            lines += held.map { ShownText($0) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func location(of number: Int?, in scenario: Scenario) -> ShownText {
        guard let number, scenario.steps.indices.contains(number) else {
            return "  after the last step, when all had met"
        }
        let step = scenario.steps[number]
        let location = step.position.map { "line \($0.line)" } ?? "step \(number + 1)"
        let words = ScenarioWriter.text(of: step, among: scenario.relays)
        return "  at \(location): \(words)"
    }

    private static func holdings(_ trace: Trace) -> [String] {
        var last: [Int: [String: RecordGlimpse]] = [:]
        for entry in trace.entries {
            guard let column = entry.deviceIndex else { continue }
            switch entry.event {
            case .wrote(let item, _, let glimpse), .merged(let item, let glimpse):
                last[column, default: [:]][item] = glimpse
            default: continue
            }
        }
        return trace.devices.indices.flatMap { column in
            (last[column] ?? [:]).sorted { $0.key < $1.key }.map { item, glimpse in
                "  \(trace.devices[column]): \(item) " + words(glimpse)
            }
        }
    }

    /// A record in a line.
    static func words(_ glimpse: RecordGlimpse) -> String {
        var words = "\(glimpse.state.rawValue) [\(glimpse.clock.joined(separator: ", "))]"
        if !glimpse.values.isEmpty { words += " " + glimpse.values.joined(separator: ", ") }
        if !glimpse.conflicts.isEmpty {
            words += "; conflicts: " + glimpse.conflicts.joined(separator: ", ")
        }
        return words
    }

    /// An ending as JSON; with the scenario, what the step says at which it ended and where that stands.
    static func json(_ outcome: Outcome, of scenario: Scenario? = nil) -> [(String, JSONValue)] {
        let number = outcome.step
        func step(_ number: Int) -> Step? {
            scenario.flatMap { $0.steps.indices.contains(number) ? $0.steps[number] : nil }
        }
        func line(_ step: Step?) -> JSONValue {
            step?.position.map { JSONValue.number($0.line) } ?? .null
        }
        let last = number.flatMap { step($0) }
        return [
            ("verdict", .text(outcome.verdict.word)),
            ("exitCode", .number(outcome.verdict.rawValue)),
            ("detail", .text(outcome.detail)),
            ("line", line(last)),
            ("stepNumber", number.map { JSONValue.number($0 + 1) } ?? .null),
            (
                "stepText",
                last.map {
                    JSONValue.text(ScenarioWriter.text(of: $0, among: scenario?.relays ?? []))
                } ?? .null
            ),
            (
                "failures",
                .array(
                    outcome.failures.map { failure in
                        JSONValue.named([
                            ("line", line(step(failure.step))),
                            ("stepNumber", .number(failure.step + 1)),
                            ("detail", .text(failure.detail)),
                        ])
                    })
            ),
            ("stepsCarriedOut", .number(outcome.stepCount)),
            ("eventsProcessed", .number(outcome.eventCount)),
            ("trace", .text(Hexadecimal.text(outcome.traceHash))),
        ]
    }
}

extension Verdict {
    /// The number that a program which played the scenario ends with.
    var exitCode: ExitCode { ExitCode(rawValue: rawValue) }
}

/// The trace of a world, one line an entry.
enum TraceText {
    static func text(of trace: Trace) -> ShownText {
        trace.entries.map { entry in
            let deviceIndex = entry.deviceIndex.map { trace.devices[$0] } ?? "-"
            return "\(entry.time) ms  \(deviceIndex)  \(words(entry.event, trace))\n" as ShownText
        }.joined()
    }

    private static func words(_ event: TraceEvent, _ trace: Trace) -> ShownText {
        func name(_ deviceIndex: Int) -> String {
            trace.devices.indices.contains(deviceIndex) ? trace.devices[deviceIndex] : "a stranger"
        }
        switch event {
        case .step(let words): return Screen.bold("> " + words)
        case .wrote(let item, let words, let glimpse):
            return "\(item): \(words) -> \(Ending.words(glimpse))"
        case .refused(let why): return "refused: \(why)"
        case .sent(let message, let to, let kind, let count):
            return "#\(message) \(kind) to \(name(to)), \(Number.counted(count, "byte"))"
        case .received(let message): return "#\(message) arrives"
        case .lost(let message, let why): return "#\(message) is lost: \(why)"
        case .merged(let item, let glimpse): return "\(item) merged -> \(Ending.words(glimpse))"
        case .sessionEnded(let deviceIndex, let how, _):
            return "session with \(name(deviceIndex)): \(how)"
        case .opened(let identity):
            return identity.map { "opens with a new replica id: \($0)" as ShownText } ?? "opens"
        case .closed: return "closes"
        case .crashed: return "crashes"
        case .lostPower: return "loses power"
        case .befell(let what): return ShownText(what)
        case .checked(let what, let isTrue): return "\(isTrue ? "true" : "false"): \(what)"
        case .violated(let what): return Screen.urgent("violated: \(what)")
        }
    }
}
