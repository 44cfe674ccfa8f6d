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
            let position = Int(state >> 33) % (keys.count + 1)
            let left = position > 0 ? keys[position - 1] : nil
            let right = position < keys.count ? keys[position] : nil
            guard let new = PositionKey.between(left, right, tag: round % 3 == 0 ? theirs : mine)
            else { continue }
            keys.insert(new, at: position)
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
    func runs(isForward: Bool, position: Int) throws {
        let ends: [(PositionKey?, PositionKey?)] = [
            (nil, nil), (key(5), nil), (nil, key(5)), (key(5), key(6)),
        ]
        let (left, right) = ends[position]
        let one = try run(20, from: left, to: right, tag: mine, isForward: isForward)
        let other = try run(20, from: left, to: right, tag: theirs, isForward: isForward)
        let merged = (one + other).sorted()
        #expect(merged == one + other || merged == other + one)
    }

    @Test("a run of ten thousand takes short keys; squeezing in takes longer ones, up to a bound")
    func growth() throws {
        for isForward in [true, false] {
            let keys = try run(10_000, from: key(5), to: key(7), tag: mine, isForward: isForward)
            #expect(keys.map(\.text.utf8.count).max() ?? 0 <= 24)
            // Between two that were made at once the key goes on from that of the first.
            let ids: (PositionKey, PositionKey) = (key(5, 1 << 100), key(5, 1 << 100 + 1))
            let others = try run(
                10_000, from: ids.0, to: ids.1, tag: mine, isForward: isForward)
            #expect(others.map(\.text.utf8.count).max() ?? 0 <= 64)
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

    @Test("what nobody moved stands by time, then by id, those of unknown time first")
    func unmoved() {
        var positions: [(created: Int64?, id: UInt128)] = []
        let times: [Int64?] = [nil, -62_167_219_200_000, -1, 0, 5, 6, 253_402_300_799_999]
        let ids: [UInt128] = [
            0, 1, 3, 4, 5, 1 << 64, 1 << 65, 1 << 65 + 7, 1 << 127, .max - 1, .max,
        ]
        for time in times { for id in ids { positions.append((time, id)) } }
        let keys = positions.map { PositionKey(created: $0.created, id: $0.id) }
        for (left, right) in zip(keys, keys.dropFirst()) {
            #expect(left < right)
            #expect(left.text < right.text)
        }
        for key in keys { #expect(PositionKey(text: key.text) == key) }
        #expect(PositionKey(created: .max, id: 5) == PositionKey(created: nil, id: 5))
    }

    @Test("where a key lies among what nobody moved is what comparing with each of them tells")
    func firstUnmoved() throws {
        var positions: [(created: Int64?, id: UInt128)] = []
        let times: [Int64?] = [nil, -62_167_219_200_000, 4, 5, 253_402_300_799_999]
        let ids: [UInt128] = [
            0, 1, 2, 3, 4, 7, 8, 1 << 65 - 1, 1 << 65, 1 << 65 + 1, .max - 4, .max,
        ]
        for time in times { for id in ids { positions.append((time, id)) } }
        let still = positions.map { PositionKey(created: $0.created, id: $0.id) }
        var keys = still
        for (left, right) in zip(still, still.dropFirst()) {
            for tag in [mine, "0000"] {
                var (low, high) = (left, right)
                for round in 0..<6 {
                    guard let new = PositionKey.between(low, high, tag: tag) else { break }
                    keys.append(new)
                    if round % 2 == 0 { high = new } else { low = new }
                }
            }
        }
        keys += try [still[0], still[still.count - 1]].flatMap { end in
            try [mine, "0000"].map { tag in
                try #require(
                    end == still[0]
                        ? PositionKey.between(nil, end, tag: tag)
                        : PositionKey.between(end, nil, tag: tag))
            }
        }
        // Whatever a peer may have written.
        for text in [
            "a00000a0", "a00000Zz", "a50000a0a00000Zz", "a50000a0a00000a4", "a50000a0Zz0000a0",
        ] {
            keys.append(try #require(PositionKey(text: text)))
        }
        for key in keys {
            let bound = key.firstUnmoved
            for (position, other) in zip(positions, still) {
                let isBefore =
                    position.created == bound.created
                    ? position.id < bound.id : position.created ?? .min < bound.created ?? .min
                #expect(isBefore == (other < key), "\(key.text), \(position)")
            }
        }
    }

    @Test("beside the last and the first key that there are, nothing overflows")
    func ends() throws {
        let texts = ["kAzL8n0Y58m7xxxxa0", "Pp0erCzRurDsxxxxa0", "kAzL8n0Y58m70000kAzL8n0Y58m7"]
        for text in texts {
            let end = try #require(PositionKey(text: text))
            for new in [
                PositionKey.between(end, nil, tag: mine), PositionKey.between(nil, end, tag: mine),
            ] {
                #expect(new.map { PositionKey(text: $0.text) == $0 } ?? true)
            }
            let bound = end.firstUnmoved
            #expect(bound.created != 0)
        }
    }

    @Test(
        "keys that are none are refused",
        arguments: ["", "a", "a0", "a0xxxx", "zz", "a0xx/xa0", "b00xxxxa0"])
    func refused(_ text: String) {
        #expect(PositionKey(text: text) == nil)
    }
}
