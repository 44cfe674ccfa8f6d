import Glibc
import Relay

/// A relay's descriptors, shared out by use, so that each use gets some even if the system allows
/// few.
package struct DescriptorShares: Hashable, Sendable {
    /// Conversations at a time.
    package private(set) var sessions: Int
    /// Files of spaces open at a time.
    package private(set) var spaces: Int
    /// Devices that may be proving their identity at a time.
    package private(set) var handshakes = 1024
    /// Links beyond the conversations: refused ones that still receive the reason.
    package private(set) var leaving = 256

    /// Descriptors that the file of a space takes: itself, its log, the index of that.
    private static let perSpace = 4
    /// Descriptors for everything else.
    private static let spareMax = 300

    /// Takes the relay's own limits, or smaller ones if the process may open only `limit`
    /// descriptors.
    package init(limit: Int, _ relay: RelayLimits) {
        sessions = relay.sessionCountMax
        spaces = relay.openSpaceCountMax
        let room = max(0, limit - min(Self.spareMax, limit / 8))
        guard sessions + spaces * Self.perSpace + handshakes + leaving > room else { return }
        handshakes = min(handshakes, max(1, room / 4))
        leaving = min(leaving, max(1, room / 8))
        spaces = min(spaces, max(1, room / 4 / Self.perSpace))
        let left = room - handshakes - leaving - spaces * Self.perSpace
        sessions = min(sessions, max(1, left))
    }
}

/// How many descriptors the process may have.
enum DescriptorLimit {
    /// Raises the limit as far as the system lets this process, and returns it.
    static func raised() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var wanted = limit
            wanted.rlim_cur = limit.rlim_max
            if setrlimit(resource, &wanted) == 0 { limit = wanted }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
