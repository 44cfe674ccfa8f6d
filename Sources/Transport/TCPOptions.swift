import CLinux
import Glibc

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
