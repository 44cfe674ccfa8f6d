/// What happened in a world, moment by moment, for a person to look at.
package struct Chronicle: Hashable, Sendable {
    /// What the story is about.
    package var title: String
    /// The devices, in the order in which they came into the world.
    package var lanes: [String]
    /// What happened, in order.
    package var moments: [Moment]
    /// How it ended.
    package var outcome: Outcome?

    /// A chronicle of nothing yet.
    package init(title: String = "", lanes: [String] = [], moments: [Moment] = []) {
        self.title = title
        self.lanes = lanes
        self.moments = moments
    }
}
