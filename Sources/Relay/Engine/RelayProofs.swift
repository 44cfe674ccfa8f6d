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

    /// Whether the key of `verifier`, that of an earlier generation, has signed `successor` as the key of
    /// `generation`.
    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool
}

/// Counts the proofs that failed, a minute at a time.
///
/// A right proof is never refused for what failed before: whoever is at the same address, or claims the same space,
/// locks nobody out. Only attempts to make a space are, as a token may be short enough to be guessed.
///
/// Where several processes serve one store each adds its own to the sums of all, once a second.
package struct FailedProofs {
    /// A group that is counted together.
    package struct Kind: Hashable, Sendable {
        /// Where the devices are.
        package let address: String
        /// The space that they claim, which the relay has; nil for attempts to make one.
        package let space: SpaceID?

        /// The devices at an address that claim a space.
        package init(address: String, space: SpaceID?) {
            self.address = address
            self.space = space
        }
    }

    private struct Count {
        var since: Instant
        var count: Int
    }

    /// Whether counts are kept for an exchange with other processes.
    var isShared = false
    private var counts: [Kind: Count] = [:]
    /// The counts of this process that are not in the sums of all.
    private var unsent: [Kind: Int] = [:]
    /// The time after which a count begins anew.
    package static let windowMilliseconds: Int64 = 60_000

    /// Whether fewer than `max` failed within a minute.
    func admits(_ kind: Kind, max: Int, now: Instant) -> Bool {
        guard let count = counts[kind], !Self.isOver(count, now) else { return true }
        return count.count < max
    }

    /// Counts a failure.
    ///
    /// - Parameter kindCountMax: the most counts that are kept; of more the oldest is dropped.
    mutating func note(_ kind: Kind, kindCountMax: Int, now: Instant) {
        if isShared, unsent.count < kindCountMax || unsent[kind] != nil {
            unsent[kind, default: 0] += 1
        }
        if let count = counts[kind], !Self.isOver(count, now) {
            counts[kind]?.count += 1
            return
        }
        makeRoom(kindCountMax, now)
        counts[kind] = Count(since: now, count: 1)
    }

    private mutating func makeRoom(_ kindCountMax: Int, _ now: Instant) {
        if counts.count >= kindCountMax {
            counts = counts.filter { !Self.isOver($0.value, now) }
        }
        func rank(_ entry: (key: Kind, value: Count)) -> (Instant, String, UInt128) {
            (entry.value.since, entry.key.address, entry.key.space?.value ?? 0)
        }
        if counts.count >= kindCountMax, let oldest = counts.min(by: { rank($0) < rank($1) }) {
            counts[oldest.key] = nil
        }
    }

    private static func isOver(_ count: Count, _ now: Instant) -> Bool {
        count.since.advanced(byMilliseconds: windowMilliseconds) <= now
    }

    // MARK: Several processes

    /// Takes what is to be added to the sums of all.
    mutating func takeUnsent() -> [Kind: Int] {
        defer { unsent = [:] }
        return unsent
    }

    /// Keeps what was taken, as it was not added.
    mutating func addAgain(_ counts: [Kind: Int]) { unsent.merge(counts, uniquingKeysWith: +) }

    /// Takes the sums of all.
    mutating func receive(
        _ sums: [Kind: RelayShareAnswer.Sum], kindCountMax: Int, now: Instant
    ) {
        for (kind, sum) in sums {
            if counts[kind] == nil { makeRoom(kindCountMax, now) }
            counts[kind] = Count(
                since: now.advanced(byMilliseconds: -sum.ageMilliseconds),
                count: sum.count + unsent[kind, default: 0])
        }
    }
}
