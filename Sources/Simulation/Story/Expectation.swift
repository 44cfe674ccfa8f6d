/// What must be true on some devices at this point of a story.
package struct Expectation: Hashable, Sendable {
    /// Whom it is about; nil for everyone whose program runs.
    package var devices: [String]?
    /// What must be true of each.
    package var claim: Claim

    /// An expectation.
    package init(_ devices: [String]?, _ claim: Claim) {
        self.devices = devices
        self.claim = claim
    }
}
