import Simulation
import Terminal

/// The seeds that once failed: the list only grows.
///
/// A line each: `seed replicas steps faults  # what it was`.
enum KnownSeeds {
    /// A seed with all that its scenario depends on.
    struct Entry {
        let seed: UInt64
        let plan: ScenarioPlan
        let remark: String
    }

    /// Where the list is, from the root of the repository.
    static let path = "Tools/simulate/seeds.txt"

    /// Reads a list.
    static func read(_ path: String) throws -> [Entry] {
        var entries: [Entry] = []
        let text = String(decoding: try Files.read(path), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let parts = line.split(separator: "#", maxSplits: 1)
            let words = (line.first == "#" ? "" : parts.first ?? "").split(separator: " ")
            if words.isEmpty { continue }
            let remark = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            guard words.count == 4, let seed = UInt64(words[0]), let steps = Int(words[2]) else {
                throw CommandFailure(
                    .noInput,
                    "\(path):\(number + 1): expected 'seed replicas steps faults  # what it was'")
            }
            let plan = ScenarioPlan(
                replicaCount: try PlanOptions.replicas(String(words[1])), stepCount: steps,
                faults: try PlanOptions.faults(String(words[3])))
            entries.append(Entry(seed: seed, plan: plan, remark: remark))
        }
        return entries
    }
}
