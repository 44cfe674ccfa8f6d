import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Devices that stay connected")
struct LiveOverTheWireTests {
    private static let id = SyncWorld.ids[0]

    /// Three devices in a row, connected live.
    private func chain() throws -> SyncWorld {
        let world = SyncWorld(seed: 9)
        for _ in 0..<3 { try world.makeDevice() }
        try world.heal()
        try world.connect(0, 1, isLive: true)
        try world.connect(2, 1, isLive: true)
        try world.settle()
        return world
    }

    private func title(_ world: SyncWorld, _ deviceIndex: Int) throws -> Value? {
        try world.store(deviceIndex).record(Self.id)?[2]
    }

    private func expectCaughtUp(_ world: SyncWorld) throws {
        // A message that waits for a peer's state summary waits for at most a second.
        try world.pass(milliseconds: 1_100)
        try world.settle()
        for end in world.links.flatMap(\.ends) {
            #expect(end.end == nil)
            #expect(end.report.isCaughtUp)
        }
    }

    @Test("an edit at one end of a chain reaches the other end, and nothing is sent back")
    func chainOfThree() throws {
        let world = try chain()
        for round in 0..<5 {
            try world.save(0, Self.id, [Assignment(.number(2), .text("round \(round)"))])
            try world.settle()
            try expectCaughtUp(world)
            #expect(try title(world, 2) == .text("round \(round)"))
        }
        #expect(world.links[0].ends[0].report.sentCount == 5)
        #expect(world.links[0].ends[1].report.sentCount == 0)
        #expect(world.links[1].ends[1].report.sentCount == 5)
        try world.heal()
    }

    @Test("edits at both ends of a chain, at once, meet in the middle and reach all")
    func bothEnds() throws {
        let world = try chain()
        for round in 0..<5 {
            try world.save(0, Self.id, [Assignment(.number(2), .text("left \(round)"))])
            try world.save(2, Self.id, [Assignment(.number(3), .text("right \(round)"))])
            try world.save(1, SyncWorld.ids[1], [Assignment(.number(3), .text("\(round)"))])
            try world.settle()
        }
        try expectCaughtUp(world)
        for deviceIndex in 0...2 {
            #expect(try title(world, deviceIndex) == .text("left 4"))
            #expect(try world.store(deviceIndex).record(Self.id)?[3] == .text("right 4"))
        }
        try world.heal()
    }

    @Test("what another process commits to the store leaves as soon as the replica is told")
    func otherProcess() throws {
        let world = try chain()
        try world.save(
            0, Self.id, [Assignment(.number(2), .text("by a command"))], isElsewhere: true)
        try world.settle()
        #expect(try title(world, 2) == .text("by a command"))
        try expectCaughtUp(world)
        try world.heal()
    }

    @Test("an identity that another process finds in doubt ends the sessions of this one")
    func identityTakenElsewhere() throws {
        let world = try chain()
        let other = try world.devices[0].another()
        let history = History(
            replica: other.replica, counter: 900,
            incarnations: [Incarnation(epoch: EpochID(value: 77), counter: 1)])
        world.allowsForks = true
        #expect(try other.resolve(history))
        other.close()
        try world.notice(0)
        try world.settle()
        guard case .failed(let error, .ours)? = world.links[0].ends[0].end else {
            Issue.record("ended with \(String(describing: world.links[0].ends[0].end))")
            return
        }
        #expect(error.known == .newIdentity)
        try world.heal()
    }

    // MARK: Contents that differ

    /// Two devices that hold different contents under the same dot, as after a fork that nobody noticed.
    private func diverged() throws -> SyncWorld {
        let world = SyncWorld(seed: 10)
        world.allowsForks = true
        for _ in 0..<2 { try world.makeDevice() }
        try world.heal()
        let stranger = ReplicaID(value: 0xabc)
        for deviceIndex in 0...1 {
            let dot = Dot(replica: stranger, counter: 1)
            let write = Write(
                dot: dot, timestamp: HybridTimestamp(rawValue: 1 << 60),
                assignments: [Assignment(.number(2), .text("line \(deviceIndex)"))])
            let record = RecordState(clock: VersionVector(dot), writes: [write])
            let body = BodyCodec.encode(record, in: SyncWorld.todo)
            let start = Incarnation(epoch: EpochID(value: 5), counter: 0)
            let store = try world.store(deviceIndex)
            _ = try store.integrate(
                [Change(id: Self.id, clock: record.clock, body: body)], from: stranger,
                checkpoint: nil,
                incarnations: [ChangeBatch.AnnouncedIncarnation(replica: stranger, start: start)])
            let entry = StateSummaryEntry(
                replica: stranger, counter: 1, checksum: SipHash().checksum(Self.id, 1), seen: 1)
            _ = try store.join(
                StateSummary(entries: [entry], digest: 0), from: stranger,
                through: Checkpoint(epoch: EpochID(value: 5), sequence: 1))
            try world.notice(deviceIndex)
        }
        return world
    }

    @Test("a difference in contents is found, repaired in the same session, and both have both")
    func repair() throws {
        let world = try diverged()
        let link = try world.sync(0, 1)
        for end in link.ends {
            #expect(end.end == .finished)
            #expect(end.report.isDiverged && end.report.isRepaired)
        }
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
        try world.heal()
        #expect(world.counts["diverged"] == 2, "and it is not found again")
    }

    @Test("a difference that only the receiver can find, as the sender has left, heals next time")
    func foundByReceiver() throws {
        let world = try diverged()
        try world.save(0, SyncWorld.ids[1], [Assignment(.number(2), .text("one way"))])
        let index = try world.connect(0, 1)
        // The receiver's state summary reaches the sender before the batch is in.
        for _ in 0..<10_000 where world.links[index].ends[0].end == nil {
            let side = world.links[index].ends[0].incoming.isEmpty ? 1 : 0
            try world.deliver(index, side, 1 << 20)
        }
        try world.settle()
        world.links = []
        let link = try world.sync(0, 1)
        #expect(link.ends.contains { $0.report.isRepaired } || world.counts["diverged"] != nil)
        try world.heal()
        let texts = try world.store(1).record(Self.id)?.record.survivors(of: .number(2)).count
        #expect(texts == 1 || texts == 2)
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
    }

    @Test("once a long message was taken, a conversation keeps no more than 128 KiB of its buffer")
    func idleBuffer() throws {
        #expect(Replica.idleByteCountMax == 128 * 1024)
        let world = SyncWorld(seed: 9)
        for _ in 0..<2 { try world.makeDevice() }
        try world.heal()
        let index = try world.connect(0, 1, isLive: true)
        try world.settle()
        let text = Value.text(String(repeating: "x", count: 200_000))
        try world.save(0, Self.id, [Assignment(.number(2), text), Assignment(.number(3), text)])
        try world.settle()
        #expect(try title(world, 1) == text)
        for end in world.links[index].ends {
            #expect(end.end == nil)
            let held = try world.replica(end.device).heldByteCount(of: end.conversation)
            #expect(held <= Replica.idleByteCountMax)
        }
    }
}
