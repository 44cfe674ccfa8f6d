import Core
import TestSupport
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("bytes, halves and text are three forms of one value")
    func formsAgree() {
        var chance = SplitMix64(seed: 1)
        for _ in 0..<200 {
            let id = ReplicaID(value: chance.wide())
            #expect(ReplicaID(bytes: id.bytes) == id)
            #expect(ReplicaID(high: id.high, low: id.low) == id)
            #expect(ReplicaID(uuidText: id.uuidText) == id)
            #expect(ReplicaID(uuidText: id.hexadecimal.uppercased()) == id)
            #expect(HexText.encode(id.bytes) == id.hexadecimal)
        }
    }

    @Test("identifiers sort like their bytes")
    func orderIsOfBytes() {
        var chance = SplitMix64(seed: 2)
        for _ in 0..<200 {
            let (a, b) = (SpaceID(value: chance.wide()), SpaceID(value: chance.wide()))
            #expect((a < b) == a.bytes.lexicographicallyPrecedes(b.bytes))
        }
    }

    @Test("leading zeros are kept")
    func zerosAreKept() {
        #expect(ReplicaID(value: 1).uuidText == "00000000-0000-0000-0000-000000000001")
        #expect(EpochID(value: 10).description == "000000000000000a")
    }

    @Test(
        "what is no identifier is refused",
        arguments: [
            "", "00", "0000000000000000000000000000000g", "000000000000000000000000000000000",
            "+0000000000000000000000000000001", "\u{ff10}0000000000000000000000000000000",
        ])
    func nonsenseIsRefused(text: String) {
        #expect(ReplicaID(uuidText: text) == nil)
    }

    @Test("any other number of bytes is refused", arguments: [0, 15, 17])
    func lengthIsChecked(count: Int) {
        #expect(ReplicaID(bytes: [UInt8](repeating: 7, count: count)) == nil)
    }

    @Test("dots sort by replica, then by counter")
    func dotsSort() {
        let dots = [(0, 1), (0, 2), (0, 300), (1, 1), (2, 1)].map {
            Dot(replica: SmallWorld.replica($0.0), counter: UInt64($0.1))
        }
        for order in SmallWorld.permutations(dots) { #expect(order.sorted() == dots) }
    }
}
