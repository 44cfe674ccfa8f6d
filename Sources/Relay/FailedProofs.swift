import Core
import Session

/// Counts the proofs that failed, by address, a minute at a time.
struct FailedProofs {
    private struct Count {
        var since: Instant
        var count: Int
    }

    private var counts: [String: Count] = [:]
    private static let windowMilliseconds: Int64 = 60_000

    /// Whether an address may try again.
    func admits(_ address: String, max: Int, now: Instant) -> Bool {
        guard let count = counts[address], !Self.isOver(count, now) else { return true }
        return count.count < max
    }

    /// Counts a failure.
    mutating func note(_ address: String, addressCountMax: Int, now: Instant) {
        if let count = counts[address], !Self.isOver(count, now) {
            counts[address]?.count += 1
            return
        }
        if counts.count >= addressCountMax {
            counts = counts.filter { !Self.isOver($0.value, now) }
        }
        if counts.count >= addressCountMax,
            let oldest = counts.min(by: { ($0.value.since, $0.key) < ($1.value.since, $1.key) })
        {
            counts[oldest.key] = nil
        }
        counts[address] = Count(since: now, count: 1)
    }

    private static func isOver(_ count: Count, _ now: Instant) -> Bool {
        count.since.advanced(byMilliseconds: windowMilliseconds) <= now
    }
}
