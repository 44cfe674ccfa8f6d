import Core
import Crypto
import Devices
import Session
import Testing
import Transport

/// A round that is kept by reference, as `#expect` takes no value that changes.
private final class Walk {
    private var round: EndpointRound
    var index: Int { round.index }

    init(count: Int, chance: UInt64) {
        round = EndpointRound(count: count, chance: chance)
    }

    func isWell() { round.isWell() }

    func goOn(after end: SessionEnd, _ error: TransportError?, now: Instant) -> Bool {
        round.goOn(after: end, error, now: now)
    }
}

@Suite("The places of one relay, as a device takes them")
struct EndpointRoundTests {
    private static let now = Instant(milliseconds: 1_000_000)
    private static let refused = TransportError.failedCall(.connect, errno: 111, about: "there")

    private func told(_ code: PeerError.Code, _ reason: PeerError.Reason? = nil) -> SessionEnd {
        .failed(PeerError(code, reason: reason, "", side: .speaker, advice: ""), .theirs)
    }

    @Test("a device that is sent elsewhere takes the next place at once, and each in turn")
    func elsewhere() {
        let round = Walk(count: 3, chance: 4)
        #expect(round.index == 1)
        for index in [2, 0, 1, 2] {
            #expect(round.goOn(after: told(.busy, .elsewhere), nil, now: Self.now))
            #expect(round.index == index)
        }
        // Behind one address there may be others as well.
        let alone = Walk(count: 1, chance: 4)
        #expect(alone.goOn(after: told(.busy, .elsewhere), nil, now: Self.now))
    }

    @Test("after a failure that may be the place's own each other one has its turn, once")
    func failures() {
        for (end, error): (SessionEnd, TransportError?) in [
            (.lost, nil), (.lost, Self.refused), (told(.busy, .relaySessions), nil),
            (told(.timeout), nil), (told(.store, .storeBusy), nil),
        ] {
            let round = Walk(count: 3, chance: 0)
            #expect(round.goOn(after: end, error, now: Self.now))
            #expect(round.goOn(after: end, error, now: Self.now))
            #expect(!round.goOn(after: end, error, now: Self.now))
            // The next round begins at another place, and takes each again.
            #expect(round.index == 0)
            #expect(round.goOn(after: end, error, now: Self.now))
            round.isWell()
            #expect(round.goOn(after: end, error, now: Self.now))
            #expect(round.goOn(after: end, error, now: Self.now))
            #expect(!round.goOn(after: end, error, now: Self.now))
        }
    }

    @Test("a refusal, a full store and an end in order are the same at all places")
    func same() {
        for end: SessionEnd in [
            told(.refused, .wrongProof), told(.store, .diskFull), told(.overLimit, .bytes),
            .finished,
            .failed(
                PeerError(.store, reason: .storeBusy, "", side: .speaker, advice: ""), .ours),
        ] {
            let round = Walk(count: 3, chance: 0)
            #expect(!round.goOn(after: end, nil, now: Self.now))
            #expect(round.index == 0)
        }
        let round = Walk(count: 3, chance: 0)
        let other = TransportError.security(.noCertificate, peer: "there")
        #expect(round.goOn(after: .lost, other, now: Self.now) == other.mayPass)
    }

    @Test("a relay that sends a device round and round has it wait after so many times in a minute")
    func bounded() {
        let round = Walk(count: 2, chance: 0)
        for _ in 0..<EndpointRound.atOnceCountMax {
            #expect(round.goOn(after: told(.busy, .elsewhere), nil, now: Self.now))
            round.isWell()
        }
        #expect(!round.goOn(after: told(.busy, .elsewhere), nil, now: Self.now))
        let later = Self.now.advanced(byMilliseconds: EndpointRound.windowMilliseconds)
        #expect(round.goOn(after: told(.busy, .elsewhere), nil, now: later))
    }

    @Test("many devices begin at all places")
    func spread() {
        let starts = (0..<300).map { EndpointRound(count: 3, chance: UInt64($0)).index }
        #expect((0..<3).allSatisfy { index in starts.count { $0 == index } == 100 })
    }

    @Test("places of one key that a code hands over are one relay, and others are not")
    func handedOver() throws {
        let keys = try ["5f0c", "5f0d"].map {
            try Fingerprint(parsing: Array(repeating: $0, count: 16).joined(separator: "-"))
        }
        func hostAndPort(_ name: String) throws -> HostAndPort { try HostAndPort(parsing: name) }
        let peers = PairingHandover.peers(of: [
            PairingHandover.Address(.relay, try hostAndPort("one:1"), keys[0]),
            PairingHandover.Address(.device, try hostAndPort("desk:2"), keys[0]),
            PairingHandover.Address(.relay, try hostAndPort("other:3"), keys[1]),
            PairingHandover.Address(.relay, try hostAndPort("two:1"), keys[0]),
        ])
        #expect(
            peers.map(\.description) == [
                "relay://one:1,two:1#\(keys[0])", "tcp://desk:2#\(keys[0])",
                "relay://other:3#\(keys[1])",
            ])
        #expect(peers.map(\.shortText) == ["one:1", "tcp://desk:2", "other:3"])
    }
}
