import CLinux
import Glibc

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
    /// Of how many peers at a time a `Listener` has not seen yet who they are; `UnprovedPeers` says who goes if they
    /// are more.
    package var handshakeCountMax = 256
    /// How many of them may be of one address.
    package var networkHandshakeCountMax = 64
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

/// Options of TCP sockets; a system that refuses one still carries bytes, so refusals pass.
enum TCPOptions {
    /// No waiting for full packets, and a limit to how long a vanished peer goes unnoticed.
    static func apply(_ options: LinkOptions, to descriptor: CInt) {
        let tcp = CInt(IPPROTO_TCP)
        set(descriptor, tcp, TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, tcp, TCP_KEEPIDLE, wholeSeconds(options.keepAliveIdle))
        set(descriptor, tcp, TCP_KEEPINTVL, wholeSeconds(options.keepAliveInterval))
        set(descriptor, tcp, TCP_KEEPCNT, CInt(clamping: options.keepAliveCount))
        let unacknowledged = options.unacknowledgedMax / .milliseconds(1)
        set(descriptor, tcp, TCP_USER_TIMEOUT, CInt(min(max(unacknowledged, 0), 86_400_000)))
    }

    /// A listener's: the port can be taken again at once after a restart.
    static func applyToListener(_ descriptor: CInt, family: CInt) {
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        // [::] serves IPv4 as well, whatever the system's default.
        if family == AF_INET6 { set(descriptor, CInt(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
    }

    /// Fetches and clears the error of a socket; 0 if it has none.
    static func error(of descriptor: CInt) -> CInt {
        var code: CInt = 0
        var byteCount = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &byteCount) == 0 else {
            return errno
        }
        return code
    }

    private static func set(_ descriptor: CInt, _ level: CInt, _ name: CInt, _ value: CInt) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func wholeSeconds(_ duration: Duration) -> CInt {
        CInt(min(max(duration.components.seconds, 1), 32_767))
    }
}
