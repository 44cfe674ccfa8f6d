import Core
import Session

/// Checks proofs; what it needs of cryptography is the shell's.
package protocol RelayAccess {
    /// Whether `proof` shows that the device at the other end of the channel holds the key of `verifier`.
    ///
    /// - Parameter channelBinding: the channel's name; nil without TLS.
    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool

    /// Whether the key of `verifier`, that of the generation before, has signed `successor` as the key of
    /// `generation`.
    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool
}

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
