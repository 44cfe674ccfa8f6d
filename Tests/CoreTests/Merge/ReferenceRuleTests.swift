import Core
import TestSupport
import Testing

@Suite("References")
struct ReferenceRuleTests {
    private func edge(
        _ source: Int, _ target: Int, at time: Int64 = 1, by replica: Int = 0
    )
        -> ReferenceRule.Edge
    {
        ReferenceRule.Edge(
            source: SmallWorld.record(source), target: SmallWorld.record(target),
            timestamp: HybridTimestamp(milliseconds: time),
            dot: Dot(replica: SmallWorld.replica(replica), counter: UInt64(source + 1)))
    }

    private func followed(_ edges: [ReferenceRule.Edge], missing: Set<Int> = []) -> [Int: Int] {
        let gone = Set(missing.map { SmallWorld.record($0) })
        let found = ReferenceRule.followed(edges, live: { !gone.contains($0) })
        var numbers: [Int: Int] = [:]
        let known = (0..<8).map { SmallWorld.record($0) }
        for (source, target) in found {
            guard let number = known.firstIndex(of: source) else { continue }
            numbers[number] = known.firstIndex(of: target)
        }
        return numbers
    }

    @Test("a reference to a missing or deleted record reads as absent, the others stay")
    func missingTarget() {
        #expect(followed([edge(0, 1), edge(1, 2), edge(3, 1)], missing: [2]) == [0: 1, 3: 1])
    }

    @Test("in a cycle the latest assignment reads as absent", arguments: 1...4)
    func cycleIsBroken(length: Int) {
        for latest in 0..<length {
            let cycle = (0..<length).map {
                edge($0, ($0 + 1) % length, at: $0 == latest ? 9 : Int64($0))
            }
            var expected: [Int: Int] = [7: 0]
            for index in 0..<length where index != latest { expected[index] = (index + 1) % length }
            #expect(followed(cycle + [edge(7, 0, at: 50)]) == expected)
        }
    }

    @Test("of assignments at the same time the greatest dot loses")
    func tieByDot() {
        let edges = [edge(0, 1, by: 2), edge(1, 0, by: 1)]
        #expect(followed(edges) == [1: 0])
    }

    @Test(
        "a cycle is one of records: the same ids in two collections make one only if both are in it"
    )
    func cycleOverTwoCollections() {
        func name(_ collection: UInt32, _ id: UInt128) -> RecordName {
            RecordName(.number(collection), RecordID(value: id))
        }
        func edge(_ source: RecordName, _ target: RecordName, at time: Int64) -> ReferenceRule.Edge
        {
            ReferenceRule.Edge(
                source: source, target: target, timestamp: HybridTimestamp(milliseconds: time),
                dot: Dot(replica: SmallWorld.replica(0), counter: UInt64(time)))
        }
        let open = [edge(name(1, 1), name(1, 2), at: 1), edge(name(1, 2), name(2, 1), at: 2)]
        #expect(
            ReferenceRule.followed(open, live: { _ in true })
                == [name(1, 1): name(1, 2), name(1, 2): name(2, 1)])
        let closed = open + [edge(name(2, 1), name(1, 1), at: 3)]
        #expect(
            ReferenceRule.followed(closed, live: { _ in true })
                == [name(1, 1): name(1, 2), name(1, 2): name(2, 1)])
        #expect(
            ReferenceRule.followedSets(closed, live: { _ in true })
                == [name(1, 1): [name(1, 2)], name(1, 2): [name(2, 1)]])
    }

    @Test("a cycle through a deleted record is none")
    func deletedBreaksCycle() {
        #expect(followed([edge(0, 1), edge(1, 2), edge(2, 0)], missing: [1]) == [1: 2, 2: 0])
    }

    // Goal: no order of the edges shows in the answer, and just the right ones are absent.
    // Method: every function on four records (each refers to one of four, or to none), in every order,
    // against walking from each edge alone.
    @Test("every graph of four records loses the latest edge of each cycle, in every order")
    func orderDoesNotMatter() {
        for choice in SmallWorld.counters(4, max: 4) {
            let edges = choice.enumerated().compactMap { source, target in
                target == 4 ? nil : edge(source, Int(target), at: Int64(source * 7 % 3))
            }
            var expected: [Int: Int] = [:]
            for (source, target) in choice.enumerated() where target < 4 {
                let cycle = cycle(through: source, choice)
                let latest = cycle.max { ($0 * 7 % 3, $0) < ($1 * 7 % 3, $1) }
                if latest != source { expected[source] = Int(target) }
            }
            for order in SmallWorld.permutations(edges) { #expect(followed(order) == expected) }
        }
    }

    /// The records of the cycle that `start` lies on; none if it lies on none.
    private func cycle(through start: Int, _ choice: [UInt64]) -> [Int] {
        var path = [start]
        while path.count <= 4, let last = path.last, choice[last] < 4 {
            let next = Int(choice[last])
            if next == start { return path }
            path.append(next)
        }
        return []
    }

    // Goal: an edge of a set is absent just where lesser edges lead from its target back to its source.
    // Method: graphs drawn on up to six records, each in several orders, against a walk from each edge alone.
    @Test("of sets the greatest edge of every cycle is absent, in every order")
    func sets() {
        var seed: UInt64 = 11
        func draw(_ count: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % count
        }
        for _ in 0..<4_000 {
            let count = 1 + draw(6)
            var edges: [ReferenceRule.Edge] = []
            for source in 0..<count {
                for target in 0..<count where draw(3) == 0 {
                    edges.append(edge(source, target, at: Int64(draw(4)), by: draw(2)))
                }
            }
            let missing: Set<Int> = draw(3) == 0 ? [draw(count)] : []
            let gone = Set(missing.map { SmallWorld.record($0) })
            let live = edges.filter { !gone.contains($0.target) }
            var expected: [RecordName: [RecordName]] = [:]
            for edge in live where !leadsBack(edge, live) {
                expected[edge.source, default: []].append(edge.target)
            }
            expected = expected.mapValues { $0.sorted() }
            for _ in 0..<3 {
                for index in edges.indices { edges.swapAt(index, draw(edges.count)) }
                #expect(
                    ReferenceRule.followedSets(edges, live: { !gone.contains($0) }) == expected)
            }
        }
    }

    private func rank(_ edge: ReferenceRule.Edge) -> (Int64, ReplicaID, UInt64, RecordName) {
        (
            edge.timestamp.milliseconds, edge.dot.replica, edge.dot.counter, edge.target
        )
    }

    /// Whether edges that are less than one lead from its target to its source.
    private func leadsBack(_ edge: ReferenceRule.Edge, _ all: [ReferenceRule.Edge]) -> Bool {
        var seen: Set<RecordName> = [edge.target]
        var rest = [edge.target]
        while let record = rest.popLast() {
            if record == edge.source { return true }
            for next in all where next.source == record && rank(next) < rank(edge) {
                if seen.insert(next.target).inserted { rest.append(next.target) }
            }
        }
        return false
    }

    @Test("ten thousand edges in one circle are cut once, in time that grows with them")
    func manyEdges() {
        let count = 10_000
        let edges = (0..<count).map { number in
            ReferenceRule.Edge(
                source: RecordName(.number(1), RecordID(value: UInt128(number))),
                target: RecordName(.number(1), RecordID(value: UInt128((number + 1) % count))),
                timestamp: HybridTimestamp(milliseconds: Int64(number * 7 % count)),
                dot: Dot(replica: SmallWorld.replica(0), counter: UInt64(number + 1)))
        }
        #expect(ReferenceRule.followedSets(edges, live: { _ in true }).count == count - 1)
    }
}
