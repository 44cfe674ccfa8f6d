import Core

/// Looks whether random stories find a fault that was planted in the engine.
///
/// A seed counts only if its story passes while the fault is not planted.
package struct FaultHunt {
    /// How one fault was found.
    package struct Find: Hashable, Sendable {
        /// The seed whose story failed.
        package var seed: UInt64
        /// What the story was made up after.
        package var plan: StoryPlan
        /// How many seeds were run until then, it included.
        package var seedCount: Int
        /// How its story ended.
        package var outcome: Outcome
    }

    private let plan: StoryPlan
    private let plant: (Set<PlantedFault>) -> Void
    private let run: (Story) -> StoryResult
    /// Whether the story of a seed passes with nothing but the companions planted.
    private var isSound: [Set<PlantedFault>: [UInt64: Bool]] = [:]

    /// A hunt.
    ///
    /// - Parameters:
    ///   - plant: plants these faults and takes out all others.
    ///   - run: runs a story once.
    package init(
        plan: StoryPlan, plant: @escaping (Set<PlantedFault>) -> Void,
        run: @escaping (Story) -> StoryResult
    ) {
        self.plan = plan
        self.plant = plant
        self.run = run
    }

    /// The first of so many seeds whose story fails with the fault and passes without it.
    ///
    /// - Parameter companions: faults that are planted in any case, which take away what contains the
    ///   harm of the one that is hunted.
    package mutating func find(
        _ fault: PlantedFault, with companions: Set<PlantedFault> = [], from first: UInt64,
        count: Int
    ) -> Find? {
        defer { plant([]) }
        for number in 0..<count {
            let seed = first &+ UInt64(number)
            let story = StoryMaker.story(seed: seed, plan: plan)
            plant(companions.union([fault]))
            let outcome = run(story).outcome
            if outcome.verdict == .passed { continue }
            if passes(story, seed, with: companions) {
                return Find(seed: seed, plan: plan, seedCount: number + 1, outcome: outcome)
            }
        }
        return nil
    }

    private mutating func passes(
        _ story: Story, _ seed: UInt64, with companions: Set<PlantedFault>
    ) -> Bool {
        if let known = isSound[companions]?[seed] { return known }
        plant(companions)
        let isPassed = run(story).outcome.verdict == .passed
        isSound[companions, default: [:]][seed] = isPassed
        return isPassed
    }
}
