/// A record as it is sent to a peer: an envelope that anyone may read, and a body.
package struct Change: Hashable, Sendable {
    /// Which record.
    package let id: RecordID

    /// Every write that is included.
    package let clock: VersionVector

    /// The writes that still matter, encoded; sealed in an encrypted space.
    package let body: [UInt8]

    /// Whether its sender could not integrate it and has set it aside.
    ///
    /// What it was to replace is then still needed: a relay keeps both.
    package let isAside: Bool

    /// A record on its way.
    package init(id: RecordID, clock: VersionVector, body: [UInt8], isAside: Bool = false) {
        self.id = id
        self.clock = clock
        self.body = body
        self.isAside = isAside
    }
}
