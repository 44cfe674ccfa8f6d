/// What a link allows itself and its peer.
package struct LinkOptions: Sendable {
    /// Most bytes that may wait to be sent; one piece sent on an empty queue may be larger.
    package var sendQueueByteCountMax = 4 << 20
    /// How long a closing link waits for the peer to take or say anything more.
    package var closingGrace = Duration.seconds(5)
    /// Silence before the system asks whether the peer's machine is still there; whole seconds.
    package var keepAliveIdle = Duration.seconds(30)
    /// Time between such questions; whole seconds.
    package var keepAliveInterval = Duration.seconds(10)
    /// Unanswered questions until the link is lost.
    package var keepAliveCount = 3
    /// How long sent bytes may go unacknowledged, or wait for a peer that takes nothing, until
    /// the link is lost; whole milliseconds.
    package var unacknowledgedMax = Duration.seconds(60)

    /// The values for a link between a person's machines.
    package init() {}
}
