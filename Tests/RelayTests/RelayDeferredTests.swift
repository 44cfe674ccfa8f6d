import Core
import Relay
import Session
import Storage
import TestSupport
import Testing

@Suite("Versions that their device had deferred")
struct RelayDeferredTests {
    private static let name = RecordName(.relayed, RecordID(value: 5))

    private static func readable(_ body: UInt8, _ counters: UInt64...) -> Change {
        change(body, counters, isDeferred: false)
    }

    private static func deferred(_ body: UInt8, _ counters: UInt64...) -> Change {
        change(body, counters, isDeferred: true)
    }

    private static func change(_ body: UInt8, _ counters: [UInt64], isDeferred: Bool) -> Change {
        let entries = counters.enumerated().map {
            VersionVector.Entry(
                replica: ReplicaID(value: UInt128($0.offset + 1)), counter: $0.element)
        }
        return Change(
            name, clock: VersionVector(unsorted: entries), body: [body], isDeferred: isDeferred)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let put: [Change]
        let kept: [Int]

        init(_ name: String, _ put: [Change], keeps kept: [Int]) {
            testDescription = name
            self.put = put
            self.kept = kept
        }

        /// Whatever the order in which they come.
        static let all: [Row] = [
            Row(
                "one that covers what can be read", [readable(1, 1), deferred(2, 2)], keeps: [0, 1]),
            Row("one that what can be read covers", [readable(1, 2), deferred(2, 1)], keeps: [0]),
            Row(
                "one with the clock of what can be read", [readable(1, 1), deferred(2, 1)],
                keeps: [0]),
            Row("one that another one covers", [deferred(1, 2), deferred(2, 1)], keeps: [0]),
            Row(
                "two with one clock and two bodies", [deferred(1, 1), deferred(2, 1)],
                keeps: [0, 1]),
            Row("one twice", [deferred(1, 1), deferred(1, 1)], keeps: [0]),
            Row("two at once", [deferred(1, 1), deferred(2, 0, 1)], keeps: [0, 1]),
            Row("what can be read, twice", [readable(1, 1), readable(1, 1)], keeps: [0]),
            Row("two pasts of one device", [readable(1, 1), readable(2, 1)], keeps: [0, 1]),
            Row(
                "two pasts, and what followed of both",
                [readable(1, 1), readable(2, 1), readable(3, 1, 1)], keeps: [2]),
            Row("read at last", [readable(1, 1), deferred(2, 2), readable(2, 2)], keeps: [2]),
            Row(
                "what can be read by all, by some, by nobody",
                [readable(1, 1), readable(2, 2), deferred(3, 3), deferred(4, 4)], keeps: [1, 3]),
        ]
    }

    @Test(
        "none of them drops what can be read; whatever can be read drops them", arguments: Row.all)
    func dominance(row: Row) throws {
        for order in [row.put, row.put.reversed()] {
            let store = try RelayWorld().store()
            try store.transact { () throws(StoreFault) in
                for change in order { _ = try store.put(change, limits: RelayLimits()) }
            }
            #expect(Set(try store.versions(of: Self.name)) == Set(row.kept.map { row.put[$0] }))
            #expect(try store.examine() == [])
        }
    }

    /// Whether the rule of the page has `version` drop `other`.
    private static func drops(_ version: Change, _ other: Change) -> Bool {
        guard version.name == other.name, version.clock.covers(other.clock) else { return false }
        if version.isDeferred != other.isDeferred { return other.isDeferred }
        return version.clock != other.clock || version.body == other.body
    }

    /// Returns the changes that no other one drops; of two that drop each other, the first.
    private static func maximal(_ all: [Change]) -> Set<Change> {
        Set(
            all.indices.filter { index in
                !all.indices.contains { other in
                    other != index && drops(all[other], all[index])
                        && (other < index || !drops(all[index], all[other]))
                }
            }.map { all[$0] })
    }

    @Test("it keeps what a naive model keeps, whatever comes in whatever order", arguments: 0..<8)
    func likeModel(seed: UInt64) throws {
        let store = try RelayWorld(seed: seed).store()
        var random = SplitMix64(seed: seed)
        var all: [Change] = []
        for _ in 0..<120 {
            let counters = (0..<3).map { _ in UInt64(random.below(4)) } + [1]
            let clock = VersionVector(
                unsorted: counters.enumerated().map {
                    .init(replica: ReplicaID(value: UInt128($0.offset + 1)), counter: $0.element)
                })
            all.append(
                Change(
                    RecordName(.relayed, RecordID(value: UInt128(random.below(6)))), clock: clock,
                    body: [UInt8(random.below(3))], isDeferred: random.chance(1, in: 2)))
        }
        try store.transact { () throws(StoreFault) in
            for change in all { _ = try store.put(change, limits: RelayLimits()) }
        }
        #expect(Set(try RelayStoreTests.everything(in: store)) == Self.maximal(all))
        #expect(try store.examine() == [])
    }

    @Test("a flood of them is over a quota of its own, and what can be read still goes in")
    func quota() throws {
        let store = try RelayWorld().store()
        var limits = RelayLimits()
        limits.recordVersionCountMax = 3
        try store.transact { () throws(StoreFault) in
            for body: UInt8 in 1...9 {
                let outcome = try store.put(Self.deferred(body, 1), limits: limits)
                #expect((outcome == .refused(.versions)) == (body > 3))
            }
            for (number, counters) in [[0, 1], [0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 0, 1]]
                .enumerated()
            {
                let version = Self.change(1, counters.map(UInt64.init), isDeferred: false)
                let outcome = try store.put(version, limits: limits)
                #expect((outcome == .refused(.versions)) == (number == 3))
            }
            #expect(try store.put(Self.readable(1, 1, 1, 1, 1), limits: limits) != .covered)
        }
        #expect(try store.versions(of: Self.name).count == 1)
        #expect(try store.examine() == [])
    }

    @Test("the mark reaches the relay and the devices there, also beside a body in parts")
    func wire() throws {
        let desk = try RelayDesk()
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        let long = Change(
            RecordName(.relayed, RecordID(value: 6)), clock: RelayDesk.change(6, 1, 1).clock,
            body: [UInt8](repeating: 7, count: WireLimits.partByteCountMax + 1), isDeferred: true)
        let checkpoint = Checkpoint(epoch: EpochID(value: 1), sequence: 3)
        let brought = [Self.readable(1, 1), long, Self.deferred(2, 2)]
        for parcel in Parcel.pack(brought, from: nil, through: checkpoint, incarnations: []) {
            for message in parcel.messages { desk.say(alice, message) }
        }
        desk.commit()
        let store = try #require(try desk.node.store(of: RelayWorld.space))
        let kept = try [Self.name, long.name].flatMap { try store.versions(of: $0) }
        #expect(Set(kept) == Set(brought))
        #expect(Set(Self.changes(desk.heard(by: bob))) == Set(brought))
    }

    /// The changes of messages, those in parts put together.
    private static func changes(_ messages: [Message]) -> [Change] {
        var changes: [Change] = []
        var assembly: BodyAssembly?
        for message in messages {
            if case .changes(let batch) = message { changes += batch.changes }
            guard case .part(let part) = message else { continue }
            if assembly?.add(part) != true { assembly = BodyAssembly(part) }
            if let change = assembly?.change { changes.append(change) }
        }
        return changes
    }

    @Test("a file of the first format is read, and takes them from then on")
    func firstFormat() throws {
        let world = RelayWorld()
        var store = try world.store()
        try store.transact { () throws(StoreFault) in
            _ = try store.put(Self.readable(1, 1), limits: RelayLimits())
        }
        store.close()
        let file = try Connection(
            path: SQLiteRelaySpace.path(of: RelayWorld.space, in: world.folder),
            on: world.environment.disk, creates: false, busyMilliseconds: 0)
        try file.execute(
            """
            CREATE TABLE old(
                sequence INTEGER PRIMARY KEY, id BLOB NOT NULL, clock BLOB NOT NULL, body BLOB NOT NULL);
            INSERT INTO old SELECT sequence, id, clock, body FROM version;
            DROP TABLE version; ALTER TABLE old RENAME TO version; CREATE INDEX version_id ON version(id);
            DROP TABLE summary_row; ALTER TABLE meta DROP COLUMN row_sum;
            CREATE TABLE notice(
                sequence INTEGER PRIMARY KEY, replica BLOB NOT NULL UNIQUE, bytes BLOB NOT NULL);
            INSERT INTO notice VALUES (2, zeroblob(16), x'0102'); UPDATE meta SET bytes = bytes + 18;
            DROP TABLE rekey_message; DROP TABLE device; PRAGMA user_version = 1;
            """)
        file.close()
        store = try world.store()
        try store.transact { () throws(StoreFault) in
            _ = try store.put(Self.deferred(2, 2), limits: RelayLimits())
        }
        #expect(try store.versions(of: Self.name) == [Self.readable(1, 1), Self.deferred(2, 2)])
        #expect(try store.examine() == [])
    }
}
