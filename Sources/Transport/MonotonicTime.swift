import CLinux
import Glibc

/// A point on this machine's monotonic clock; means nothing on another machine or after a restart.
package struct MonotonicTime: Comparable, Hashable, Sendable {
    /// Nanoseconds since an unspecified start.
    package let nanoseconds: UInt64

    /// A point at the given number of nanoseconds after the clock's start.
    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The current time; a setting of the wall clock does not move it.
    package static var now: MonotonicTime {
        var time = timespec()
        let result = clock_gettime(CLOCK_MONOTONIC, &time)
        precondition(result == 0, "every Linux has a monotonic clock")
        return MonotonicTime(
            nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The point `duration` later; stays within the clock's range instead of wrapping.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        // Three hundred years: longer than any timer means, far from the end of UInt64.
        let bounded = min(max(seconds, -9_000_000_000), 9_000_000_000)
        let step = bounded * 1_000_000_000 + attoseconds / 1_000_000_000
        guard step < 0 else {
            let (sum, overflow) = time.nanoseconds.addingReportingOverflow(UInt64(step))
            return MonotonicTime(nanoseconds: overflow ? .max : sum)
        }
        let back = step.magnitude
        return MonotonicTime(nanoseconds: time.nanoseconds > back ? time.nanoseconds - back : 0)
    }

    /// How much later `self` is than `other`; negative if it is earlier.
    package static func - (time: MonotonicTime, other: MonotonicTime) -> Duration {
        let distance = time.nanoseconds.subtractingReportingOverflow(other.nanoseconds)
        return .nanoseconds(Int64(bitPattern: distance.partialValue))
    }

    /// True if `a` comes before `b`.
    package static func < (a: MonotonicTime, b: MonotonicTime) -> Bool {
        a.nanoseconds < b.nanoseconds
    }
}
