import JSON
import Simulation
import Storage

/// How a story ended, for a person.
enum Ending {
    /// What failed, at which line of the story, and what each device held last.
    static func text(of story: Story, _ outcome: Outcome, _ chronicle: Chronicle) -> String {
        var lines = [Terminal.urgent(outcome.verdict.word) + ": " + outcome.detail]
        if let number = outcome.step, story.steps.indices.contains(number) {
            let step = story.steps[number]
            let place = step.position.map { "line \($0.line)" } ?? "step \(number + 1)"
            let words = StoryWriter.text(of: step, among: story.relays)
            lines.append("  at \(place): \(words)")
        } else {
            lines.append("  after the last step, when all had met")
        }
        let held = holdings(chronicle)
        if !held.isEmpty {
            lines.append(
                "what was seen last on each device; in brackets the number of the last write")
            lines.append(
                "of each device that it includes (its first write is the device's own name)")
            lines += held
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func holdings(_ chronicle: Chronicle) -> [String] {
        var last: [Int: [String: RecordGlimpse]] = [:]
        for moment in chronicle.moments {
            guard let lane = moment.lane else { continue }
            switch moment.happening {
            case .wrote(let item, _, let glimpse), .merged(let item, let glimpse):
                last[lane, default: [:]][item] = glimpse
            default: continue
            }
        }
        return chronicle.lanes.indices.flatMap { lane in
            (last[lane] ?? [:]).sorted { $0.key < $1.key }.map { item, glimpse in
                "  \(chronicle.lanes[lane]): \(item) " + words(glimpse)
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

    /// An ending as JSON; with the story, what the step says at which it ended and where that stands.
    static func json(_ outcome: Outcome, of story: Story? = nil) -> [(String, JSONValue)] {
        let number = outcome.step
        let step = number.flatMap { number in
            story.flatMap { $0.steps.indices.contains(number) ? $0.steps[number] : nil }
        }
        return [
            ("verdict", .text(outcome.verdict.word)),
            ("exitCode", .number(outcome.verdict.rawValue)),
            ("detail", .text(outcome.detail)),
            ("line", step?.position.map { JSONValue.number($0.line) } ?? .null),
            ("stepNumber", number.map { JSONValue.number($0 + 1) } ?? .null),
            (
                "stepText",
                step.map {
                    JSONValue.text(StoryWriter.text(of: $0, among: story?.relays ?? []))
                } ?? .null
            ),
            ("stepsCarriedOut", .number(outcome.stepCount)),
            ("eventsProcessed", .number(outcome.eventCount)),
            ("trace", .text(Number.hexadecimal(outcome.traceHash))),
        ]
    }
}
