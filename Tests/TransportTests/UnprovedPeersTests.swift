import Testing
import Transport

@Suite("Peers that have not proved themselves")
struct UnprovedPeersTests {
    private let nobody: (String) -> Bool = { _ in false }

    /// Adds peers of one address; gives those that had to go.
    private func add(
        _ peers: Range<Int>, from network: String, to waiting: inout UnprovedPeers<Int>,
        known: Set<String> = [], spoken: Set<Int> = []
    ) -> [Int] {
        peers.compactMap { peer in
            waiting.add(peer, from: network) {
                known.contains($0)
            } hasSpoken: {
                spoken.contains($0)
            }
        }
    }

    @Test("an address over its share drops its own oldest peers, and nobody else's")
    func share() {
        var waiting = UnprovedPeers<Int>(countMax: 100, networkCountMax: 3)
        #expect(add(0..<1, from: "10.0.0.1", to: &waiting) == [])
        #expect(add(10..<15, from: "10.0.0.9", to: &waiting) == [10, 11])
        #expect(waiting.count(of: "10.0.0.9") == 3)
        #expect(waiting.count(of: "10.0.0.1") == 1)
    }

    @Test("a full listener drops from the address that has most, not the oldest of all")
    func crowd() {
        var waiting = UnprovedPeers<Int>(countMax: 6, networkCountMax: 5)
        #expect(add(0..<2, from: "10.0.0.1", to: &waiting) == [])
        #expect(add(10..<14, from: "10.0.0.9", to: &waiting) == [])
        #expect(add(2..<3, from: "10.0.0.1", to: &waiting) == [10])
        #expect(add(3..<4, from: "10.0.0.2", to: &waiting) == [0])
        #expect(waiting.count == 6)
    }

    @Test("of addresses with equally many the one whose peer has waited longest loses it")
    func equals() {
        var waiting = UnprovedPeers<Int>(countMax: 3, networkCountMax: 3)
        for number in 0..<3 {
            #expect(add(number..<number + 1, from: "10.0.0.\(number)", to: &waiting) == [])
        }
        #expect(add(3..<4, from: "10.0.0.3", to: &waiting) == [0])
        #expect(add(4..<5, from: "10.0.0.4", to: &waiting) == [1])
    }

    @Test("an address at which somebody proved himself loses nobody while others are there")
    func known() {
        var waiting = UnprovedPeers<Int>(countMax: 4, networkCountMax: 3)
        let known: Set = ["10.0.0.1"]
        #expect(add(0..<3, from: "10.0.0.1", to: &waiting, known: known) == [])
        #expect(add(10..<11, from: "10.0.0.8", to: &waiting, known: known) == [])
        #expect(add(11..<12, from: "10.0.0.9", to: &waiting, known: known) == [10])
        #expect(waiting.count(of: "10.0.0.1") == 3)
        // Strangers alone are never so few that the known address is better left out.
        #expect(add(3..<4, from: "10.0.0.1", to: &waiting, known: known) == [0])
    }

    @Test("a stranger that comes where known addresses fill all is not let in for them")
    func newcomer() {
        var waiting = UnprovedPeers<Int>(countMax: 2, networkCountMax: 2)
        let known: Set = ["10.0.0.1"]
        #expect(add(0..<2, from: "10.0.0.1", to: &waiting, known: known) == [])
        #expect(add(10..<11, from: "10.0.0.9", to: &waiting, known: known) == [10])
    }

    @Test("a peer that has sent nothing goes before one that has, and the newest stays")
    func silent() {
        var waiting = UnprovedPeers<Int>(countMax: 10, networkCountMax: 3)
        #expect(add(0..<3, from: "10.0.0.9", to: &waiting) == [])
        #expect(add(3..<4, from: "10.0.0.9", to: &waiting, spoken: [0, 1]) == [2])
        #expect(add(4..<5, from: "10.0.0.9", to: &waiting, spoken: [0, 1, 3]) == [0])
    }

    @Test("a peer that is gone, or has proved itself, counts no more")
    func removal() {
        var waiting = UnprovedPeers<Int>(countMax: 10, networkCountMax: 2)
        #expect(add(0..<2, from: "10.0.0.9", to: &waiting) == [])
        waiting.remove(0)
        waiting.remove(0)
        #expect(waiting.count == 1)
        #expect(add(2..<3, from: "10.0.0.9", to: &waiting) == [])
        #expect(waiting.removeOne(from: "10.0.0.9") == 1)
        #expect(waiting.removeOne(from: "10.0.0.1") == nil)
        #expect(waiting.removeOne(isKnown: nobody) == 2)
        #expect(waiting.removeOne(isKnown: nobody) == nil)
    }

    @Test("an address counts as proved for thirty days, and of too many the oldest is forgotten")
    func proved() {
        var proved = ProvedNetworks()
        proved.note("10.0.0.1", now: 1000)
        #expect(proved.contains("10.0.0.1", now: 1000 + 30 * 86_400_000 - 1))
        #expect(!proved.contains("10.0.0.1", now: 1000 + 30 * 86_400_000))
        #expect(!proved.contains("10.0.0.2", now: 1000))
        for number in 0..<ProvedNetworks.countMax {
            proved.note("network \(number)", now: 2000 + Int64(number))
        }
        #expect(!proved.contains("10.0.0.1", now: 5000))
        #expect(proved.contains("network 0", now: 5000))
        proved.note("network 0", now: 6000)
        proved.note("another", now: 6001)
        #expect(proved.contains("network 0", now: 6001))
        #expect(!proved.contains("network 1", now: 6001))
    }
}
