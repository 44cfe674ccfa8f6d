import Core
import Relay
import Storage
import TestSupport
import Testing

@Suite("What a relay keeps of a space")
struct RelayStoreTests {
    /// A clock from counters of the replicas 1, 2, 3.
    static func clock(_ counters: UInt64...) -> VersionVector {
        VersionVector(
            unsorted: counters.enumerated().map {
                VersionVector.Entry(
                    replica: ReplicaID(value: UInt128($0.offset + 1)), counter: $0.element)
            })
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let put: [VersionVector]
        let kept: [Int]
        var testDescription: String { name }

        init(_ name: String, _ put: [VersionVector], keeps kept: [Int]) {
            self.name = name
            self.put = put
            self.kept = kept
        }

        static let all: [Row] = [
            Row("one", [clock(1)], keeps: [0]),
            Row("the same again", [clock(1), clock(1)], keeps: [0]),
            Row("a later one", [clock(1), clock(2)], keeps: [1]),
            Row("an earlier one", [clock(2), clock(1)], keeps: [0]),
            Row("concurrent", [clock(1, 2), clock(2, 1)], keeps: [0, 1]),
            Row("concurrent with a lower sum", [clock(9), clock(0, 1)], keeps: [0, 1]),
            Row("concurrent with a higher sum", [clock(0, 1), clock(9)], keeps: [0, 1]),
            Row("what covers both", [clock(1), clock(0, 1), clock(1, 1)], keeps: [2]),
            Row("what covers one", [clock(1), clock(0, 1), clock(2)], keeps: [1, 2]),
            Row(
                "three at once", [clock(1), clock(0, 1), clock(0, 0, 1)], keeps: [0, 1, 2]),
            Row("one of two again", [clock(1), clock(0, 1), clock(1)], keeps: [0, 1]),
        ]
    }

    @Test("a version that another one covers goes, others stay", arguments: Row.all)
    func dominance(row: Row) throws {
        let world = RelayWorld()
        let store = try world.store()
        let name = RecordName(.relayed, RecordID(value: 5))
        let changes = row.put.enumerated().map {
            // Changes with the same clock have the same body.
            Change(name, clock: $0.element, body: Self.bytes(of: $0.element))
        }
        try store.transact { () throws(StoreFault) in
            for change in changes { _ = try store.put(change, limits: RelayLimits()) }
        }
        #expect(try store.versions(of: name) == row.kept.map { changes[$0] })
        #expect(try store.examine() == [])
    }

    private static func bytes(of clock: VersionVector) -> [UInt8] {
        clock.entries.map { UInt8($0.counter) }
    }

    /// Returns the versions that a relay should keep of all that ever arrived: those that no other
    /// one covers.
    private static func maximal(_ all: [Change]) -> Set<Change> {
        var kept: [Change] = []
        for change in all {
            let replaces = { (version: Change, other: Change) in
                version.name == other.name && version.clock.covers(other.clock)
                    && (version.clock != other.clock || version.body == other.body)
            }
            if kept.contains(where: { replaces($0, change) }) { continue }
            kept.removeAll { replaces(change, $0) }
            kept.append(change)
        }
        return Set(kept)
    }

    private static func randomChange(_ random: inout SplitMix64, _ number: Int) -> Change {
        let clock = VersionVector(
            unsorted: (1...4).map {
                VersionVector.Entry(
                    replica: ReplicaID(value: UInt128($0)), counter: UInt64(random.below(4)))
            } + [VersionVector.Entry(replica: ReplicaID(value: 9), counter: 1)])
        return Change(
            RecordName(.relayed, RecordID(value: UInt128(random.below(6)))), clock: clock,
            body: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: random.below(9)))
    }

    @Test("it keeps what a naive model keeps, whatever comes in whatever order", arguments: 0..<8)
    func likeModel(seed: UInt64) throws {
        let world = RelayWorld(seed: seed)
        var store = try world.store()
        var random = SplitMix64(seed: seed)
        var all: [Change] = []
        for _ in 0..<30 {
            let changes = (0..<random.below(12)).map { Self.randomChange(&random, all.count + $0) }
            all += changes
            try store.transact { () throws(StoreFault) in
                for change in changes { _ = try store.put(change, limits: RelayLimits()) }
            }
            if random.chance(1, in: 5) {
                store.close()
                store = try world.store()
            }
        }
        #expect(Set(try Self.everything(in: store)) == Self.maximal(all))
        #expect(try store.examine() == [])
    }

    /// All versions, read as a device reads them.
    static func everything(in store: SQLiteRelaySpace, batch: Int = 50) throws -> [Change] {
        var changes: [Change] = []
        var start: UInt64 = 0
        for _ in 0..<10_000 {
            let reading = try store.read(RelayReadRequest(start: start), byteCountMax: batch)
            changes += reading.changes
            start = reading.through
            if reading.isEnd { return changes }
        }
        throw StoreFault.closed
    }
}
