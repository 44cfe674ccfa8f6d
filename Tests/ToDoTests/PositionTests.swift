import Testing
import ToDo

@Suite("Places in the user's order")
struct PositionTests {
    private let mine = PositionKey.tag(of: 1)
    private let theirs = PositionKey.tag(of: 2)

    private func key(_ created: Int64, _ id: UInt128 = 9) -> PositionKey {
        PositionKey(created: created, id: id)
    }

    @Test("a key lies between its neighbours, and its text sorts by bytes as it does")
    func between() throws {
        var keys = [key(1_700_000_000_000), key(1_800_000_000_000)]
        var state: UInt64 = 1
        for round in 0..<2_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let place = Int(state >> 33) % (keys.count + 1)
            let left = place > 0 ? keys[place - 1] : nil
            let right = place < keys.count ? keys[place] : nil
            guard let new = PositionKey.between(left, right, tag: round % 3 == 0 ? theirs : mine)
            else { continue }
            keys.insert(new, at: place)
        }
        #expect(keys.count > 1_900)
        let texts = keys.map(\.text)
        for (left, right) in zip(texts, texts.dropFirst()) {
            #expect(left.utf8.lexicographicallyPrecedes(right.utf8))
        }
        for (key, text) in zip(keys, texts) { #expect(PositionKey(text: text) == key) }
        #expect(texts.allSatisfy { $0.utf8.count <= PositionKey.byteCountMax })
    }

    private func run(
        _ count: Int, from left: PositionKey?, to right: PositionKey?, tag: String,
        isForward: Bool
    ) throws -> [PositionKey] {
        var keys: [PositionKey] = []
        for _ in 0..<count {
            let new =
                isForward
                ? PositionKey.between(keys.last ?? left, right, tag: tag)
                : PositionKey.between(left, keys.first ?? right, tag: tag)
            keys.insert(try #require(new), at: isForward ? keys.count : 0)
        }
        return keys
    }

    @Test(
        "what two devices insert at one place while apart comes in two runs",
        arguments: [true, false], [0, 1, 2, 3])
    func runs(isForward: Bool, place: Int) throws {
        let ends: [(PositionKey?, PositionKey?)] = [
            (nil, nil), (key(5), nil), (nil, key(5)), (key(5), key(6)),
        ]
        let (left, right) = ends[place]
        let one = try run(20, from: left, to: right, tag: mine, isForward: isForward)
        let other = try run(20, from: left, to: right, tag: theirs, isForward: isForward)
        let merged = (one + other).sorted()
        #expect(merged == one + other || merged == other + one)
    }

    @Test("a run of ten thousand takes short keys; squeezing in takes longer ones, up to a bound")
    func growth() throws {
        for isForward in [true, false] {
            let keys = try run(10_000, from: key(5), to: key(6), tag: mine, isForward: isForward)
            #expect(keys.map(\.text.utf8.count).max() ?? 0 <= 24)
        }
        // The worst: each time between the last two.
        var (left, right) = (key(5), key(6))
        var count = 0
        while count < 1_000, let new = PositionKey.between(left, right, tag: mine) {
            if count % 2 == 0 { left = new } else { right = new }
            count += 1
        }
        #expect(count < 1_000)
        #expect(count >= 10)
    }

    @Test(
        "keys that are none are refused",
        arguments: ["", "a", "a0", "a0xxxx", "zz", "a0xx/xa0", "b00xxxxa0"])
    func refused(_ text: String) {
        #expect(PositionKey(text: text) == nil)
    }
}
