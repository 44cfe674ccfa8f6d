import Core
import ToDo

/// Writes scenarios as `ScenarioReader` reads them.
///
/// Its text reads back to an equal scenario if the scenario is one that can be read at all: its names
/// are names, its numbers lie within `ScenarioLimits`, its days in the years 0 to 9999, and it speaks of
/// what it has made known.
package enum ScenarioWriter {
    /// The scenario, headings first, one step a line.
    package static func text(of scenario: Scenario) -> String {
        var lines: [String] = []
        if !scenario.title.isEmpty { lines.append("title " + ScenarioText.quoted(scenario.title)) }
        if scenario.policy == .editsWin { lines.append("policy edits-win") }
        if scenario.seed != 1 { lines.append("seed \(scenario.seed)") }
        if scenario.isLenient { lines.append("lenient") }
        lines += devices(scenario.devices)
        if scenario.isPlain { lines.append("nothing is encrypted") }
        if let count = scenario.massDeleteGuardCount {
            lines.append("deletes above \(count) are held")
        }
        if scenario.meetsOnlyAtRelays { lines.append("devices meet only at relays") }
        if !scenario.steps.isEmpty, !lines.isEmpty { lines.append("") }
        let relays = scenario.relays
        lines += scenario.steps.map { text(of: $0, among: relays) }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The line of a step, without a line end; a session with one of the relays is a visit.
    package static func text(of step: Step, among relays: Set<String> = []) -> String {
        var line = step.isElsewhere ? "another program on " : ""
        let family = (visit(step.event, among: relays) ?? step.event).family
        line += family.words
        guard let refusal = step.refusal else { return line }
        line += family.isRefusable ? " but is refused" : " but fails"
        return refusal == .anyReason ? line : line + ": " + refusal.rawValue
    }

    /// The visit that a session with a relay is; nil of any other event.
    private static func visit(_ event: ScenarioEvent, among relays: Set<String>) -> ScenarioEvent? {
        guard case .meeting(.sync(let one, let other)) = event else { return nil }
        if relays.contains(other) { return .relay(.visit(device: one, relay: other)) }
        return relays.contains(one) ? .relay(.visit(device: other, relay: one)) : nil
    }

    /// Neighbours without traits share a line.
    private static func devices(_ devices: [DeviceTraits]) -> [String] {
        var lines: [String] = []
        var plain: [String] = []
        func endLine() {
            if !plain.isEmpty { lines.append("devices " + list(plain)) }
            plain = []
        }
        for device in devices {
            if device.isRelay {
                endLine()
                let database = device.database.map { " on \($0)" } ?? ""
                lines.append("relay \(device.name)" + database)
                continue
            }
            let traits = [
                device.isDurable ? "flushes every commit" : nil,
                device.isNewer ? "runs a newer version" : nil,
                device.isForeign ? "is of another space" : nil,
            ].compactMap { $0 }
            if traits.isEmpty {
                plain.append(device.name)
            } else {
                endLine()
                lines.append("device \(device.name) " + traits.joined(separator: " and "))
            }
        }
        endLine()
        return lines
    }

    /// Whether the scenario reads back from its text as it is.
    ///
    /// A scenario that has lost steps may speak of what none of the others makes known.
    package static func canTell(_ scenario: Scenario) -> Bool {
        do throws(ScenarioFaults) {
            return try ScenarioReader.read(text(of: scenario)) == scenario
        } catch {
            return false
        }
    }

    // MARK: Parts

    /// `a, b and c`.
    static func list(_ parts: [String]) -> String {
        ScenarioLine.enumeration(parts, "and")
    }

    /// An element of a set: as a word if it can be.
    static func element(_ element: String) -> String {
        ScenarioText.isElement(element) ? element : ScenarioText.quoted(element)
    }

    /// A value.
    package static func value(_ literal: Literal) -> String {
        switch literal {
        case .none: "none"
        case .bool(let flag): flag ? "true" : "false"
        case .number(let number): String(number)
        case .text(let text): ScenarioText.quoted(text)
        case .day(let day): date(day)
        case .item(let item): "@" + item
        case .newer(let kind): "newer \(kind)"
        case .long(let count): "long \(count)"
        case .other(let value):
            "\(value.kind.rawValue) " + ScenarioText.quoted(value.textForm ?? "")
        }
    }

    /// Settings as they stand in an edit; neighbours about one set share its name: `tags +shop -food`.
    package static func words(of settings: [Setting]) -> String {
        var parts: [String] = []
        var set: String?
        for setting in settings {
            switch setting {
            case .value(let field, let literal):
                parts.append("\(field) \(value(literal))")
                set = nil
            case .add(let field, let element):
                parts.append((set == field ? "+" : "\(field) +") + self.element(element))
                set = field
            case .remove(let field, let element):
                parts.append((set == field ? "-" : "\(field) -") + self.element(element))
                set = field
            }
        }
        return parts.joined(separator: " ")
    }

    /// `2026-12-01`, of days since 1970-01-01.
    ///
    /// A year outside of 0 to 9999 has more digits, or a sign, and cannot be read.
    package static func date(_ day: Int32) -> String {
        let date = CivilDate(day: Int(day))
        return padded(date.year, 4) + "-" + padded(date.month, 2) + "-"
            + padded(date.dayOfMonth, 2)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, width - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}
