/// A point on a clock that only goes forward; milliseconds from an arbitrary start.
package struct Instant: Hashable, Comparable, Sendable {
    /// Milliseconds since the clock's start.
    package let milliseconds: Int64

    /// A point on the clock.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The point so many milliseconds later.
    package func advanced(byMilliseconds count: Int64) -> Instant {
        Instant(milliseconds: milliseconds + count)
    }

    package static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
