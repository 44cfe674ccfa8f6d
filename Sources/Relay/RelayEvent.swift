/// What can happen to a conversation of a relay besides bytes.
package enum RelayEvent: Hashable, Sendable {
    /// How much the link holds unsent; told when that rises over or falls under the link's mark.
    case sendQueue(byteCount: Int)
    /// The time asked for by `wake` has come.
    case wake
    /// The relay stops: what was received is committed and acknowledged, then the conversation ends.
    case drain
    /// The link is closed.
    case lost
}
