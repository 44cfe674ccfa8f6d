import CLinux

/// The operations a descriptor is ready for, or that its owner waits for.
package struct Readiness: OptionSet, Sendable {
    /// The bits of `epoll_event.events`.
    package let rawValue: UInt32

    /// Wraps bits of `epoll_event.events`.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A read would not wait; the end of the stream counts as readable.
    package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
    /// A write would not wait.
    package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
    /// Told without being asked for: the descriptor has an error to fetch.
    package static let failed = Readiness(rawValue: EPOLLERR.rawValue)
    /// Told without being asked for: both directions are at their end.
    package static let hungUp = Readiness(rawValue: EPOLLHUP.rawValue)
}
