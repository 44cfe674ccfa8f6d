import JSON
import Terminal

/// The figures of a run by name: told one by one beside the result, and JSON in the end.
struct Measurements {
    private var members: [JSONMember] = []
    private static let spaced = JSONStyle(hasSpaces: true)

    /// The figures as JSON, a name a line.
    var text: String {
        JSONValue.object(members)
            .text(JSONStyle(hasSpaces: true, brokenLevelCount: 1, indentation: 2))
    }

    /// Notes what the whole run has in common.
    mutating func note(_ name: String, _ count: Int) {
        members.append(JSONMember(name, .number(count)))
    }

    /// Notes the figures of one measurement.
    mutating func note(_ name: String, _ figures: [(String, Double)]) {
        let figures = JSONValue.named(figures.map { ($0.0, .number(Self.rounded($0.1))) })
        members.append(JSONMember(name, figures))
        Screen.error("\(name): \(figures.text(Self.spaced).dropFirst().dropLast())\n")
    }

    private static func rounded(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15
            ? String(Int64(value)) : String((value * 10_000).rounded() / 10_000)
    }
}
