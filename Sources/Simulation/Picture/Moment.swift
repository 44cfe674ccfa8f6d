/// One thing that happened on one device, or to all.
package struct Moment: Hashable, Sendable {
    /// When: milliseconds since the story began, of no device's clock.
    package var time: Int64
    /// Whose lane; nil if it concerns the whole world.
    package var lane: Int?
    /// The statement of the story that was being carried out; counts from 0.
    package var statement: Int?
    /// What it was.
    package var happening: Happening

    /// A moment.
    package init(time: Int64, lane: Int?, statement: Int?, _ happening: Happening) {
        self.time = time
        self.lane = lane
        self.statement = statement
        self.happening = happening
    }
}
