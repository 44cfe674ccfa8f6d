import Core

/// A stretch of work on a to-do, or one that goes on.
///
/// Each is an element of a set, so that what two devices add is all kept.
package struct WorkInterval: Sendable, Hashable {
    /// When it began; milliseconds since 1970-01-01T00:00:00Z.
    package var start: Int64
    /// When it ended, at `start` or later; nil while it runs.
    package var end: Int64?

    /// A stretch of work.
    package init(start: Int64, end: Int64?) {
        self.start = start
        self.end = end
    }

    /// Whether it still runs.
    package var isRunning: Bool { end == nil }

    /// `2026-11-27T10:00:00.000Z/2026-11-27T11:00:00.000Z`; nothing behind the stroke while it runs.
    ///
    /// Nil outside of the years 0 to 9999.
    package var text: String? {
        guard let from = MomentText.text(instant: start) else { return nil }
        guard let end else { return from + "/" }
        return MomentText.text(instant: end).map { "\(from)/\($0)" }
    }

    /// Reads such a text; nil for any other.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, case .instant(let start)? = MomentText.value(String(parts[0]))
        else { return nil }
        self.init(start: start, end: nil)
        if parts[1].isEmpty { return }
        guard case .instant(let end)? = MomentText.value(String(parts[1])), end >= start else {
            return nil
        }
        self.end = end
    }
}

extension WorkInterval {
    /// The milliseconds that intervals cover within a range, time in several counted once; what runs
    /// lasts until `now`.
    package static func milliseconds(
        _ intervals: [WorkInterval], within range: Range<Int64>, now: Int64
    ) -> Int64 {
        let clipped = intervals.compactMap { interval -> (Int64, Int64)? in
            let start = max(interval.start, range.lowerBound)
            let end = min(interval.end ?? max(now, interval.start), range.upperBound)
            return start < end ? (start, end) : nil
        }
        var sum: Int64 = 0
        var reached = Int64.min
        for (start, end) in clipped.sorted(by: { $0 < $1 }) where end > reached {
            sum = sum.plus(end.minus(max(start, reached)))
            reached = end
        }
        return sum
    }

    /// A length of time as people read it: `1:05` for an hour and five minutes.
    package static func clock(_ milliseconds: Int64) -> String {
        let minutes = milliseconds.plus(30_000) / 60_000
        let rest = minutes % 60
        return "\(minutes / 60):\(rest < 10 ? "0" : "")\(rest)"
    }
}
