import Core

/// The state summaries of both hellos, brought together by lists of what changed lately.
///
/// The first side lists its entries that changed since the other's summary checkpoint. The second answers with
/// its own, and with those of the ids that the first listed; the first answers for ids that only the second
/// listed, if there are any. What is in no list is compared by subtraction, from the sums in the hellos: nothing
/// more is said of it if it is equal, and ranges tell what differs if it is not. Source: Protocol/5-Session.md.
package struct SummaryLists: Sendable {
    /// How far the exchange has come.
    private enum Stage {
        /// It is the first side's turn. Goes to: awaitingReply (the first), replying (the second).
        case open
        /// This side, the first, has told its list. Goes to: ended.
        case awaitingReply
        /// This side, the second, has heard the first list. Goes to: awaitingAnswer, ended.
        case replying
        /// This side, the second, has listed ids that the first did not. Goes to: ended.
        case awaitingAnswer(for: Set<ReplicaID>)
        case ended
    }

    /// The result of the lists.
    package enum Outcome: Sendable {
        /// The peer's state summary, and its entries that were listed: all others are as here.
        case known(StateSummary, open: [StateSummaryEntry])
        /// The rest differs, and is to be compared range by range.
        case restDiffers(SummaryComparison)
    }

    private let own: StateSummary
    private let ownSum: UInt128
    /// How many entries the peer has by its hello, and the sum of their hashes.
    private let peer: SummaryHead
    private let hash: SipHash
    private var stage = Stage.open
    /// The ids that this side has named.
    private var told: Set<ReplicaID> = []
    /// The peer's entries so far.
    private var heard: [ReplicaID: StateSummaryEntry] = [:]
    /// Whether this side began.
    package private(set) var isFirst = false
    /// The outcome; nil as long as there is none.
    package private(set) var outcome: Outcome?

    /// How many entries of the peer are kept.
    var heldCount: Int { heard.count }
    /// Whether nothing was told or heard.
    var isUntouched: Bool {
        if case .open = stage { true } else { false }
    }
    /// Whether this side waits for what the peer has to say to its own list.
    var awaitsReply: Bool {
        if case .awaitingReply = stage { true } else { false }
    }

    /// Begins with two summaries that differ.
    package init(of own: StateSummary, sum: UInt128, with peer: SummaryHead, _ hash: SipHash) {
        self.own = own
        ownSum = sum
        self.peer = peer
        self.hash = hash
    }

    /// This side's list, and its answers to the peer's.
    ///
    /// - Parameter moved: the ids whose entries changed since the peer's summary checkpoint; some may have changed
    ///   after the hello alone.
    package mutating func tell(_ moved: [ReplicaID]) -> SummaryList {
        let list = entries(of: Set(moved).union(heard.keys))
        told = Set(list.entries.map(\.replica))
        switch stage {
        case .open:
            isFirst = true
            stage = .awaitingReply
        case .replying:
            let asked = told.subtracting(heard.keys)
            stage = .awaitingAnswer(for: asked)
            if asked.isEmpty { end() }
        case .awaitingReply, .awaitingAnswer, .ended:
            preconditionFailure("a list out of turn")
        }
        return list
    }

    /// Receives a list of the peer; gives the answer, if one is due.
    package mutating func receive(_ list: SummaryList) throws(PeerError) -> SummaryList? {
        switch stage {
        case .open:
            try keep(list, listedCount: list.entries.count)
            stage = .replying
            return nil
        case .awaitingReply:
            let listed = list.entries.map(\.replica).filter { !told.contains($0) }
            try keep(list, listedCount: listed.count)
            end()
            return listed.isEmpty ? nil : entries(of: Set(listed))
        case .awaitingAnswer(let asked):
            guard list.entries.allSatisfy({ asked.contains($0.replica) }) else {
                throw .malformed("entries of a state summary that nobody asked for")
            }
            try keep(list, listedCount: 0)
            end()
            return nil
        case .replying, .ended:
            throw .outOfOrder("a list of a state summary that is not awaited")
        }
    }

    /// The peer's summary: as listed, and for all other ids as the comparison of the rest has shown it.
    package func united(with rest: StateSummary) -> StateSummary {
        let entries = heard.values.sorted { $0.replica < $1.replica }
        var result = rest.replacing(Set(heard.keys), with: entries)
        result.digest = peer.digest
        return result
    }

    /// The own entries of ids, as far as there are any.
    private func entries(of ids: Set<ReplicaID>) -> SummaryList {
        SummaryList(ids.sorted().compactMap { own.entry(of: $0) })
    }

    private mutating func keep(_ list: SummaryList, listedCount: Int) throws(PeerError) {
        guard listedCount <= WireLimits.summaryListEntryCountMax else {
            throw .overLimit(
                "listed entries of a state summary", max: WireLimits.summaryListEntryCountMax)
        }
        for entry in list.entries { heard[entry.replica] = entry }
        guard heard.count <= peer.count else {
            throw .malformed("more entries of a state summary than its hello named")
        }
    }

    /// Compares what is in no list: of each side the sum in its hello without the entries that are.
    private mutating func end() {
        stage = .ended
        let listed = told.union(heard.keys)
        var (ownRest, ownCount) = (ownSum, own.entries.count)
        for id in listed {
            guard let entry = own.entry(of: id) else { continue }
            ownRest &-= hash.entry(entry)
            ownCount -= 1
        }
        let peerRest = heard.values.reduce(peer.sum) { $0 &- hash.entry($1) }
        let peerCount = peer.count - UInt64(heard.count)
        if ownRest == peerRest, UInt64(ownCount) == peerCount {
            let open = heard.values.sorted { $0.replica < $1.replica }
            var result = own.replacing(listed, with: open)
            result.digest = peer.digest
            outcome = .known(result, open: open)
        } else {
            let head = SummaryHead(sum: peerRest, digest: peer.digest, count: peerCount)
            outcome = .restDiffers(
                SummaryComparison(of: own.replacing(listed, with: []), with: head, hash))
        }
    }
}
