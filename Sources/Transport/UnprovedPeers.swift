/// The peers of a listener that have not proved themselves yet, and which of them goes when they are too many.
///
/// Nothing but its address tells such a peer from another. Were the oldest of all dropped, one machine that connects
/// often enough would drop everybody else; so peers go from the address that has most of them, and last from addresses
/// at which somebody proved himself before.
package struct UnprovedPeers<Peer: Hashable> {
    private struct Waiting {
        let peer: Peer
        let network: String
    }

    /// The most peers at a time.
    package var countMax: Int
    /// The most peers of one address at a time.
    package var networkCountMax: Int
    /// The oldest first.
    private var waiting: [Waiting] = []
    private var counts: [String: Int] = [:]

    /// Nobody waits.
    package init(countMax: Int, networkCountMax: Int) {
        self.countMax = countMax
        self.networkCountMax = networkCountMax
    }

    /// How many wait.
    package var count: Int { waiting.count }

    /// How many of one address wait.
    package func count(of network: String) -> Int { counts[network] ?? 0 }

    /// Takes a peer that came just now.
    ///
    /// - Parameters:
    ///   - network: its address, as `SocketAddress.network` names it.
    ///   - isKnown: whether somebody has proved himself at an address before.
    ///   - hasSpoken: whether a peer has sent something: those that have sent nothing go before it.
    /// - Returns: the peer that has to go, which waits no more; nil if there is room.
    package mutating func add(
        _ peer: Peer, from network: String, isKnown: (String) -> Bool,
        hasSpoken: (Peer) -> Bool = { _ in false }
    ) -> Peer? {
        waiting.append(Waiting(peer: peer, network: network))
        counts[network, default: 0] += 1
        if counts[network, default: 0] > networkCountMax {
            return removeOne(from: network, sparing: peer, hasSpoken)
        }
        guard waiting.count > countMax, let network = crowdedNetwork(isKnown) else { return nil }
        return removeOne(from: network, sparing: peer, hasSpoken)
    }

    /// Forgets a peer: it has proved itself, or is gone.
    package mutating func remove(_ peer: Peer) {
        guard let index = waiting.firstIndex(where: { $0.peer == peer }) else { return }
        remove(at: index)
    }

    /// Removes the oldest peer of one address; nil if nobody waits there.
    package mutating func removeOne(from network: String) -> Peer? {
        removeOne(from: network, sparing: nil) { _ in false }
    }

    /// Removes the oldest peer of the address that has most; nil if nobody waits.
    package mutating func removeOne(isKnown: (String) -> Bool) -> Peer? {
        crowdedNetwork(isKnown).flatMap { removeOne(from: $0) }
    }

    /// The address from which one goes next: of those at which nobody has proved himself, if there are any, the one
    /// that has most; of equals the one whose peer has waited longest.
    private func crowdedNetwork(_ isKnown: (String) -> Bool) -> String? {
        let strange = counts.filter { !isKnown($0.key) }
        let candidates = strange.isEmpty ? counts : strange
        let most = candidates.values.max()
        return waiting.first { candidates[$0.network] == most }?.network
    }

    /// A silent peer before one that has spoken, the oldest first; the newcomer only if it is alone.
    private mutating func removeOne(
        from network: String, sparing: Peer?, _ hasSpoken: (Peer) -> Bool
    ) -> Peer? {
        let others = waiting.indices.filter {
            waiting[$0].network == network && waiting[$0].peer != sparing
        }
        let index =
            others.first { !hasSpoken(waiting[$0].peer) } ?? others.first
            ?? waiting.firstIndex { $0.network == network }
        guard let index else { return nil }
        let peer = waiting[index].peer
        remove(at: index)
        return peer
    }

    private mutating func remove(at index: Int) {
        let network = waiting.remove(at: index).network
        let count = counts[network, default: 0] - 1
        counts[network] = count > 0 ? count : nil
    }
}

/// Links whose peers have not proved themselves yet.
package struct UnprovedLinks {
    private var peers: UnprovedPeers<ObjectIdentifier>
    private var links: [ObjectIdentifier: Link] = [:]

    /// No link.
    package init(countMax: Int, networkCountMax: Int) {
        peers = UnprovedPeers(countMax: countMax, networkCountMax: networkCountMax)
    }

    /// How many there are.
    var count: Int { peers.count }

    /// Takes a link; gives the one that has to be closed for it, if any.
    package mutating func add(_ link: Link, isKnown: (String) -> Bool) -> Link? {
        links[ObjectIdentifier(link)] = link
        let known = links
        let surplus = peers.add(ObjectIdentifier(link), from: link.network, isKnown: isKnown) {
            known[$0]?.isFirst == false
        }
        return surplus.flatMap { links.removeValue(forKey: $0) }
    }

    /// Forgets a link: its peer has proved itself, or is gone.
    package mutating func remove(_ link: Link) {
        peers.remove(ObjectIdentifier(link))
        links[ObjectIdentifier(link)] = nil
    }

    /// Removes a link that is to be closed; nil if there is none.
    package mutating func removeOne(isKnown: (String) -> Bool) -> Link? {
        peers.removeOne(isKnown: isKnown).flatMap { links.removeValue(forKey: $0) }
    }

    /// Closes all of them.
    mutating func closeAll() {
        for link in links.values { link.close() }
        self = UnprovedLinks(countMax: peers.countMax, networkCountMax: peers.networkCountMax)
    }
}

/// The addresses at which somebody has proved himself: by a trusted key, or to a relay by the key of a space.
package struct ProvedNetworks {
    /// The most addresses; of more the one goes at which that is longest ago.
    package static let countMax = 1024
    /// For how long an address counts; milliseconds.
    package static let keptMilliseconds: Int64 = 30 * 86_400_000

    private var times: [String: Int64] = [:]

    /// Nobody has.
    package init() {}

    /// Takes note of a proof.
    ///
    /// - Parameter now: milliseconds by a clock that is never set back.
    package mutating func note(_ network: String, now: Int64) {
        times[network] = now
        guard times.count > Self.countMax,
            let oldest = times.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        else { return }
        times[oldest.key] = nil
    }

    /// Whether somebody has proved himself at an address.
    package func contains(_ network: String, now: Int64) -> Bool {
        times[network].map { now - $0 < Self.keptMilliseconds } ?? false
    }
}
