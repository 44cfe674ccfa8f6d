/// The limits of a link for itself and its peer.
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

    /// The time a peer has to prove its identity, on a link that `Listener` or `Dialer` secures.
    package var handshakeMax = Duration.seconds(10)
    /// Of how many peers at a time a `Listener` has not seen yet who they are; of more the oldest is dropped.
    package var handshakeCountMax = 256
    /// Whether a plain link ends with `peerWantsTLS` if the peer's first bytes are TLS.
    package var noticesTLS = false

    /// The values for a link between a person's machines.
    package init() {}

    /// The values for a link that carries a session: it holds more than a session's window, so that
    /// a session never meets its limit.
    package static var session: LinkOptions {
        var options = LinkOptions()
        options.sendQueueByteCountMax = 16 << 20
        options.noticesTLS = true
        return options
    }
}
