/// What random stories are to be like.
package struct StoryPlan: Hashable, Sendable {
    /// How many devices a story begins with, at least and at most; at least one.
    package var replicaCount: ClosedRange<Int>
    /// How many steps a story has.
    package var stepCount: Int
    /// What may go wrong; each story has some of it.
    package var faults: [FaultKind]

    /// The most devices that a story begins with.
    package static let replicaCountMax = 12

    /// A plan.
    package init(
        replicaCount: ClosedRange<Int> = 2...4, stepCount: Int = 80,
        faults: [FaultKind] = FaultKind.usual
    ) {
        self.replicaCount = replicaCount
        self.stepCount = stepCount
        self.faults = faults
    }
}
