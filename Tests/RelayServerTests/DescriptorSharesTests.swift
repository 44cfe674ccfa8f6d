import Relay
import RelayServer
import Testing

@Suite("Shares of descriptors")
struct DescriptorSharesTests {
    @Test("a relay with enough descriptors is what it is set to")
    func enough() {
        let limits = RelayLimits()
        let shares = DescriptorShares(limit: 1 << 20, limits)
        #expect(shares.sessions == limits.sessionCountMax)
        #expect(shares.spaces == limits.openSpaceCountMax)
        #expect(shares.handshakes == 1024 && shares.leaving == 256)
    }

    @Test(
        "with few descriptors something is left for each use",
        arguments: [64, 256, 1024, 4096, 8192])
    func few(limit: Int) {
        let limits = RelayLimits()
        let shares = DescriptorShares(limit: limit, limits)
        #expect(shares.sessions >= limit / 4, "two devices, and many more, meet at the same time")
        #expect(shares.sessions <= limits.sessionCountMax)
        #expect(shares.spaces >= 1 && shares.handshakes >= limit / 8 && shares.leaving >= 1)
        let taken = shares.sessions + shares.spaces * 4 + shares.handshakes + shares.leaving
        #expect(taken < limit)
    }

    @Test("no limit is too small to serve anybody", arguments: [0, 1, 8])
    func least(limit: Int) {
        let shares = DescriptorShares(limit: limit, RelayLimits())
        #expect(shares.sessions >= 1 && shares.spaces >= 1)
    }
}
