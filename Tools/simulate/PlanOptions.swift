import Simulation
import Terminal

/// The options that say what random scenarios are like.
enum PlanOptions {
    static let values = ["replicas", "steps", "faults"]

    static let help = """
          --replicas R    how many devices a scenario begins with: 3 or 2-4 (2-4)
          --steps S       how many steps it has (80)
          --faults LIST   what may go wrong: all, none, or some of these, with commas between:
        \(faultLines)
        """

    /// The names of all faults, six a line.
    private static var faultLines: String {
        let names = FaultKind.allCases.map(\.rawValue)
        return stride(from: 0, to: names.count, by: 6).map { start in
            String(repeating: " ", count: 18)
                + names[start..<min(start + 6, names.count)].joined(separator: ", ")
        }.joined(separator: "\n")
    }

    /// The plan that the options ask for.
    static func plan(_ arguments: Arguments) throws -> ScenarioPlan {
        var plan = ScenarioPlan()
        if let text = arguments["replicas"] { plan.replicaCount = try replicas(text) }
        plan.stepCount = try arguments.number("steps", in: 1...10_000) ?? plan.stepCount
        if let text = arguments["faults"] { plan.faults = try faults(text) }
        return plan
    }

    static func replicas(_ text: String) throws -> ClosedRange<Int> {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        let range = 1...ScenarioPlan.replicaCountMax
        if ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil,
            first <= last, range.contains(first), range.contains(last)
        {
            return first...last
        }
        throw CommandFailure(
            .usage, "--replicas takes a number or two, such as 3 or 2-4, not '\(text)'")
    }

    static func faults(_ text: String) throws -> [FaultKind] {
        if let faults = FaultKind.list(text) { return faults }
        throw CommandFailure(
            .usage,
            "'\(text)' is no list of faults: all, none, or "
                + FaultKind.allCases.map(\.rawValue).joined(separator: ","))
    }

    /// The options that give this plan.
    static func words(_ plan: ScenarioPlan) -> String {
        "--replicas \(replicas(plan)) --steps \(plan.stepCount) "
            + "--faults \(FaultKind.text(of: plan.faults))"
    }

    static func replicas(_ plan: ScenarioPlan) -> String {
        let range = plan.replicaCount
        return range.count == 1
            ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
    }
}

extension Arguments {
    /// The seed of an option: a number, or the name of a commit, of which the first 15 digits count.
    func seed(_ name: String) throws -> UInt64? {
        guard let text = self[name] else { return nil }
        if let number = UInt64(text) { return number }
        let digits = text.prefix(15)
        guard digits.count >= 7, let number = UInt64(digits, radix: 16) else {
            throw CommandFailure(
                .usage, "--\(name) takes a number or the hash of a commit, not '\(text)'")
        }
        return number
    }
}
