import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Spaces that have known many replica ids")
struct ManyIDsTests {
    /// The frames of one session, by the side that sent them.
    private struct Talk {
        var messages: [[Message]] = [[], []]
        var byteCounts = [0, 0]
        var ends: [SessionEnd?] = [nil, nil]

        var byteCount: Int { byteCounts[0] + byteCounts[1] }
        var kinds: [[UInt64]] { messages.map { $0.map(\.kind) } }
    }

    private static let now = Instant(milliseconds: 0)

    /// One session between two devices; cut once so many frames have arrived.
    private func talk(
        _ world: SyncWorld, _ first: Int, _ second: Int, frameCountMax: Int = .max
    ) throws -> Talk {
        var talk = Talk()
        let replicas = [try world.replica(first), try world.replica(second)]
        let guess = try world.store(second).summary().replica
        let (mine, outputs) = replicas[0].open(
            .initiator, isLive: false, guess: guess, now: Self.now)
        let (theirs, answers) = replicas[1].open(.responder, isLive: false, now: Self.now)
        let ids = [mine, theirs]
        var queue: [(side: Int, bytes: [UInt8])] = []
        func run(_ outputs: [Replica.Output], _ side: Int) throws {
            for (_, effect) in outputs {
                switch effect {
                case .send(let bytes):
                    talk.byteCounts[side] += bytes.count
                    var decoder = FrameDecoder()
                    bytes.withUnsafeBytes { decoder.append($0) }
                    while let message = try decoder.next() { talk.messages[side].append(message) }
                    queue.append((1 - side, bytes))
                case .close(let end): talk.ends[side] = end
                case .wake, .report, .fault: continue
                }
            }
        }
        try run(outputs, 0)
        try run(answers, 1)
        var frameCount = 0
        while !queue.isEmpty, frameCount < frameCountMax {
            frameCount += 1
            let (side, bytes) = queue.removeFirst()
            try run(
                bytes.withUnsafeBytes { replicas[side].receive(ids[side], $0, now: Self.now) }, side
            )
        }
        for side in 0...1 where talk.ends[side] == nil {
            try run(replicas[side].run(ids[side], .lost, now: Self.now), side)
        }
        return talk
    }

    /// A record with a write of each of some replicas.
    private static func change(_ id: UInt128, _ replicas: Range<Int>) -> Change {
        let entries = replicas.map {
            VersionVector.Entry(replica: Self.replica($0), counter: 1)
        }
        let clock = VersionVector(unsorted: entries)
        let write = Write(
            dot: Dot(replica: entries[0].replica, counter: 1), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("x"))])
        return Change(
            id: RecordID(value: id), clock: clock,
            body: BodyCodec.encode(
                RecordState(clock: clock, writes: [write]), in: SyncWorld.todo))
    }

    /// Ids that look drawn at random.
    private static func replica(_ number: Int) -> ReplicaID {
        ReplicaID(value: SipHash(key0: 5).hash128(Array("\(number)".utf8)))
    }

    private static let author = ReplicaID(value: 99)

    /// Gives a store records with writes of so many replicas, and has it vouch for them.
    private func fill(_ store: Store, _ count: Int, perRecord: Int) throws {
        for first in stride(from: 0, to: count, by: perRecord) {
            let change = Self.change(
                UInt128(first + 1), first..<min(first + perRecord, count))
            _ = try store.integrate([change], from: Self.author, checkpoint: nil)
        }
        let summary = try store.stateSummary()
        let through = Checkpoint(epoch: EpochID(value: 1), sequence: 1)
        let entries = summary.entries.map {
            StateSummaryEntry(
                replica: $0.replica, counter: max($0.counter, $0.seen), checksum: $0.checksum,
                seen: $0.seen)
        }
        _ = try store.join(
            StateSummary(entries: entries, digest: summary.digest), from: Self.author,
            through: through)
    }

    /// Two devices with equal stores, of which each has read the other to its end.
    private func equalPair(_ count: Int, perRecord: Int) throws -> SyncWorld {
        let world = SyncWorld(seed: 3)
        for _ in 0..<2 { _ = try world.makeDevice() }
        try fill(world.store(0), count, perRecord: perRecord)
        #expect(try talk(world, 0, 1).ends == [.finished, .finished])
        try expectEqual(world)
        return world
    }

    private func expectEqual(_ world: SyncWorld) throws {
        let (first, second) = (try world.store(0), try world.store(1))
        #expect(try first.stateSummary() == second.stateSummary())
        for store in [first, second] { #expect(try store.examine() == []) }
    }

    @Test("two equal stores with 10,000 ids need one round trip and fewer than 300 bytes")
    func noOp() throws {
        let world = try equalPair(10_000, perRecord: 200)
        let talk = try talk(world, 0, 1)
        #expect(talk.kinds == [[1], [1]])
        #expect(talk.byteCount < 300)
        #expect(talk.ends == [.finished, .finished])
    }

    @Test("an edit in a store with 10,000 ids costs bytes by what changed")
    func oneEdit() throws {
        let world = try equalPair(10_000, perRecord: 200)
        try world.store(0).write {
            try $0.insert([Assignment(.number(2), .text("new"))], into: SyncWorld.todo)
        }
        let talk = try talk(world, 0, 1)
        #expect(talk.ends == [.finished, .finished])
        // The model has 1,091, and the record and its acknowledgement come on top.
        #expect(talk.byteCount < 2 * 1_091)
        try expectEqual(world)
    }

    @Test("100,000 ids come to a new device in one session, and then cost nothing")
    func hundredThousand() throws {
        let world = try equalPair(100_000, perRecord: 4_000)
        #expect(try world.store(1).stateSummary().entries.count >= 100_000)
        let again = try talk(world, 1, 0)
        #expect(again.kinds == [[1], [1]])
        #expect(again.byteCount < 300)
        // The space goes on; an edit costs a path through the ranges, on both sides.
        for (device, other) in [(1, 0), (0, 1)] {
            try world.store(device).write {
                _ = try $0.insert([Assignment(.number(2), .text("new"))], into: SyncWorld.todo)
            }
            let edit = try talk(world, device, other)
            #expect(edit.ends == [.finished, .finished])
            #expect(edit.byteCount < 3_000)
            #expect(edit.kinds[0].count + edit.kinds[1].count < 20)
        }
        try expectEqual(world)
    }

    @Test("a session that is cut behind any frame heals")
    func cuts() throws {
        var frameCountMax = 0
        while true {
            let world = SyncWorld(seed: 4)
            for _ in 0..<2 { _ = try world.makeDevice() }
            try fill(world.store(0), 300, perRecord: 3)
            try fill(world.store(1), 200, perRecord: 4)
            let talk = try talk(world, 0, 1, frameCountMax: frameCountMax)
            let isWhole = talk.ends == [.finished, .finished]
            for _ in 0..<2 { _ = try self.talk(world, 1, 0) }
            try expectEqual(world)
            if isWhole { break }
            frameCountMax += 1
        }
        #expect(frameCountMax > 8)
    }

    @Test(
        "a clock that names 4,094 made-up ids keeps nobody out: later changes and new devices come in"
    )
    func madeUpIDs() throws {
        let world = SyncWorld(seed: 5)
        for _ in 0..<3 { _ = try world.makeDevice() }
        for part in 0..<3 {
            let change = Self.change(UInt128(part + 1), part * 4_094..<(part + 1) * 4_094)
            _ = try world.store(0).integrate([change], from: Self.author, checkpoint: nil)
        }
        func add(_ title: String, _ device: Int) throws {
            try world.store(device).write {
                _ = try $0.insert([Assignment(.number(2), .text(title))], into: SyncWorld.todo)
            }
        }
        try add("old", 0)
        try add("new", 2)
        for (first, second) in [(0, 1), (2, 0), (1, 2)] {
            #expect(try talk(world, first, second).ends == [.finished, .finished])
        }
        for device in 0..<3 {
            let store = try world.store(device)
            #expect(try store.fetch(FetchRequest(SyncWorld.todo)).count == 5)
            #expect(try store.examine() == [])
        }
    }

    @Test("devices that meet only at a relay vouch for 16,000 ids, entry by entry")
    func throughRelay() throws {
        let world = SyncWorld(seed: 7)
        world.allowsForks = true
        for _ in 0..<2 { _ = try world.makeDevice() }
        try fill(world.store(0), 16_000, perRecord: 200)
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for device in [0, 1, 0, 1] {
            let result = try world.visit(device, relay, seal: seal)
            #expect(result.end == .finished)
            #expect(result.report.isCaughtUp && !result.report.isWithheld)
        }
        // Of each id one device states an entry, the other has nothing to add but its digests.
        #expect(relay.rowCount < 16_000 + 300)
        let knowledge = try world.store(0).summary().knowledge
        #expect(knowledge.entries.count > 16_000)
        #expect(try world.store(1).summary().knowledge.covers(knowledge))
        try expectEqual(world)
        // A sync without news costs a greeting, however many ids there are.
        for device in [1, 0] {
            let quiet = try world.visit(device, relay, seal: seal)
            #expect(quiet.sentKinds == [20, 9])
            #expect(quiet.sentByteCount < 300 && quiet.receivedByteCount < 300)
        }
        // An edit costs its version and a row about its author, and each device its digests.
        let rowCount = relay.rowCount
        try world.store(1).write {
            _ = try $0.insert([Assignment(.number(2), .text("new"))], into: SyncWorld.todo)
        }
        for device in [1, 0] {
            let edit = try world.visit(device, relay, seal: seal)
            #expect(edit.end == .finished)
            #expect(edit.sentByteCount < 1_000 && edit.receivedByteCount < 1_000)
        }
        #expect(relay.rowCount <= rowCount + 1)
        try expectEqual(world)
    }

    @Test("a clock that names 4,094 made-up ids keeps nobody out of a relay")
    func madeUpIDsAtRelay() throws {
        let world = SyncWorld(seed: 8)
        world.allowsForks = true
        for _ in 0..<3 { _ = try world.makeDevice() }
        for part in 0..<3 {
            let change = Self.change(UInt128(part + 1), part * 4_094..<(part + 1) * 4_094)
            _ = try world.store(0).integrate([change], from: Self.author, checkpoint: nil)
        }
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for device in 0..<3 {
            try world.store(device).write {
                _ = try $0.insert([Assignment(.number(2), .text("mine"))], into: SyncWorld.todo)
            }
        }
        for device in [0, 1, 2, 0, 1] {
            let result = try world.visit(device, relay, seal: seal)
            #expect(result.end == .finished)
            #expect(!result.report.isWithheld)
        }
        for device in 0..<3 {
            let store = try world.store(device)
            #expect(try store.fetch(FetchRequest(SyncWorld.todo)).count == 6)
            #expect(try store.examine() == [])
        }
    }

    @Test("a clock longer than a message travels in pieces")
    func longClock() throws {
        let world = SyncWorld(seed: 6)
        for _ in 0..<2 { _ = try world.makeDevice() }
        let store = try world.store(0)
        // Each fits a message; merged they do not.
        for part in 0..<2 {
            _ = try store.integrate(
                [Self.change(1, part * 30_000..<(part + 1) * 30_000)], from: Self.author,
                checkpoint: nil)
        }
        let talk = try talk(world, 0, 1)
        #expect(talk.ends == [.finished, .finished])
        #expect(talk.kinds[0].count { $0 == 5 } == 60_000 / WireLimits.clockEntriesPerPartMax + 1)
        let name = RecordName(SyncWorld.todo, RecordID(value: 1))
        #expect(try world.store(1).record(name)?.record == store.record(name)?.record)
        #expect(try world.store(1).record(name)?.record.clock.entries.count == 60_000)
    }
}
