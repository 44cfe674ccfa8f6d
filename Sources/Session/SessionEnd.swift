import Core

/// How a session ended.
package enum SessionEnd: Hashable, Sendable {
    /// In order. Whether all was exchanged is in the last report: either side may leave early.
    case finished
    /// The link broke before that; the next session goes on where this one stopped.
    case lost
    /// With an error, told or heard, and the side that has to act.
    case failed(PeerError, SessionSide)
}
