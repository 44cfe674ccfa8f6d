/// One thing that happened on one device, or to all.
package struct Moment: Hashable, Sendable {
    /// When: milliseconds since the story began, of no device's clock.
    package var time: Int64
    /// Whose lane; nil if it concerns the whole world.
    package var lane: Int?
    /// The step of the story that was being carried out; counts from 0.
    package var step: Int?
    /// What it was.
    package var happening: Happening

    /// A moment.
    package init(time: Int64, lane: Int?, step: Int?, _ happening: Happening) {
        self.time = time
        self.lane = lane
        self.step = step
        self.happening = happening
    }
}
