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

    @Test("the versions of a record are read once for all changes of a commit about it")
    func readsVersionsOnce() throws {
        let world = RelayWorld()
        let store = try world.store()
        let names = [5, 6].map { RecordName(.relayed, RecordID(value: $0)) }
        func change(_ record: Int, _ replica: Int, _ counter: UInt64 = 1) -> Change {
            let clock = VersionVector(unsorted: [
                .init(replica: ReplicaID(value: UInt128(replica)), counter: counter)
            ])
            return Change(names[record], clock: clock, body: Self.bytes(of: clock))
        }
        func put(_ changes: [Change]) throws -> [RelayPutOutcome] {
            try store.transact { () throws(StoreFault) in
                var outcomes: [RelayPutOutcome] = []
                for change in changes {
                    outcomes.append(try store.put(change, limits: RelayLimits()))
                }
                return outcomes
            }
        }
        _ = try put((1...40).flatMap { [change(0, $0), change(1, $0)] })
        let before = store.readVersionCount
        // By turns: known ones, later ones, new ones.
        let outcomes = try put(
            (31...50).flatMap { [change(0, $0), change(1, $0, 2)] } + [change(1, 50, 2)])
        #expect(store.readVersionCount - before == 80)
        for (number, replica) in (31...50).enumerated() {
            #expect((outcomes[2 * number] == .covered) == (replica <= 40))
            guard case .kept(_, let replaced) = outcomes[2 * number + 1] else {
                Issue.record("\(outcomes[2 * number + 1])")
                continue
            }
            #expect(replaced.count == (replica <= 40 ? 1 : 0))
        }
        #expect(outcomes.last == .covered)
        for name in names { #expect(try store.versions(of: name).count == 50) }
        #expect(try store.examine() == [])
        // A mark ends what is known, and so does the end of a transaction.
        let mark = VersionMark(of: change(0, 1))
        try store.transact { () throws(StoreFault) in
            _ = try store.put(change(0, 51), limits: RelayLimits())
            _ = try store.noteUnreadable([mark])
            // The version that cannot be opened covers nothing any more.
            _ = try store.put(change(0, 1, 2), limits: RelayLimits())
        }
        #expect(try store.versions(of: names[0]).count == 51)
        #expect(try store.examine() == [])
    }

    @Test("a record whose versions take more memory than is kept is read anew, and to the same end")
    func readsLongVersionsAnew() {
        var known = SQLiteRelayVersions()
        func version(_ entryCount: Int) -> RelayStoredVersion {
            RelayStoredVersion(
                sequence: 1,
                clock: VersionVector(
                    unsorted: (1...entryCount).map {
                        .init(replica: ReplicaID(value: UInt128($0)), counter: 1)
                    }), bodyByteCount: 0, hash: 1, isDeferred: false, isUnreadable: false)
        }
        let (first, second) = (RecordID(value: 1), RecordID(value: 2))
        known.keep([version(1000)], of: first)
        known.keep([version(SQLiteRelayVersions.entryCountMax - 1001)], of: second)
        #expect(known.take(second) == nil, "one more than there is room for")
        known.keep([version(SQLiteRelayVersions.entryCountMax - 1002)], of: second)
        #expect(known.take(second)?.count == 1 && known.take(first)?.count == 1)
        known.keep([version(SQLiteRelayVersions.entryCountMax - 1)], of: second)
        #expect(known.take(second) != nil, "what was taken out has made room")
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
