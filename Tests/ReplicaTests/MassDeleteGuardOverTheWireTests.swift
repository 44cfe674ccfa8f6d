import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Deletes on a great scale, in sessions")
struct MassDeleteGuardOverTheWireTests {
    private static func ids(_ count: Int) -> [RecordID] {
        (0..<count).map { Store.derivedID(SyncWorld.todo, key: "\($0)") }
    }

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    /// Devices that all have that many to-dos.
    private func world(_ count: Int = 2, items: Int = 60, seed: UInt64 = 1) throws -> SyncWorld {
        let world = SyncWorld(seed: seed)
        for _ in 0..<count { try world.makeDevice() }
        for id in Self.ids(items) { try world.save(0, id, title("x")) }
        try world.heal()
        return world
    }

    private func delete(
        _ ids: some Sequence<RecordID>, on deviceIndex: Int, _ world: SyncWorld
    ) throws {
        for id in ids { try world.delete(deviceIndex, id) }
    }

    private func count(_ world: SyncWorld, _ deviceIndex: Int) throws -> Int {
        try world.store(deviceIndex).fetch(FetchRequest(SyncWorld.todo)).count
    }

    /// A session, however it ends.
    private func meet(
        _ world: SyncWorld, _ first: Int, _ second: Int, isLive: Bool = false
    ) throws -> SyncLink {
        let index = try world.connect(first, second, isLive: isLive)
        try world.settle()
        return world.links[index]
    }

    private func heldCode(_ end: SessionEnd?) -> SessionSide? {
        guard case .failed(let error, let side) = end, error.known == .deletesHeld else {
            return nil
        }
        return side
    }

    @Test("the session ends with a word on both sides, and this side's edits have left")
    func once() throws {
        for (first, second) in [(0, 1), (1, 0)] {
            let world = try world()
            try delete(Self.ids(60), on: 0, world)
            let own = Store.derivedID(SyncWorld.todo, key: "own")
            try world.save(1, own, title("mine"))
            let link = try meet(world, first, second)
            let here = first == 1 ? 0 : 1
            #expect(heldCode(link.ends[here].end) == .ours)
            #expect(heldCode(link.ends[1 - here].end) == .theirs)
            #expect(link.ends[here].report.held?.liveCount == 61)
            #expect(!link.ends[here].report.isCaughtUp)
            #expect(try count(world, 1) == 61)
            #expect(try world.store(0).record(own)?[2] == .text("mine"))
            world.links = []
            // The same once more, and then told.
            #expect(heldCode(try meet(world, 0, 1).ends[1].end) == .ours)
            world.links = []
            try world.store(1).acceptDeletes()
            try world.heal()
            #expect(try count(world, 1) == 1)
        }
    }

    @Test("two that hold each other's deletes do not wait for ever")
    func both() throws {
        let world = try world(2, items: 120)
        // More than half of the records in each direction.
        try delete(Self.ids(120).prefix(61), on: 0, world)
        try delete(Self.ids(120).suffix(61), on: 1, world)
        let index = try world.connect(0, 1)
        try world.settle()
        try world.pass(milliseconds: 10_000)
        try world.settle()
        #expect(world.links[index].isOver)
        world.links = []
        try world.store(0).acceptDeletes()
        try world.store(1).acceptDeletes()
        try world.heal()
        #expect(try count(world, 0) == 0)
    }

    @Test("a live session goes on sending, and begins anew once the deletes are accepted")
    func live() throws {
        let world = try world()
        let index = try world.connect(0, 1, isLive: true)
        try world.settle()
        try delete(Self.ids(60), on: 0, world)
        try world.settle()
        #expect(!world.links[index].isOver)
        #expect(world.links[index].ends[1].report.held != nil)
        let alive = try count(world, 1)
        #expect(alive >= 30)
        let own = Store.derivedID(SyncWorld.todo, key: "own")
        try world.save(1, own, title("mine"))
        try world.settle()
        #expect(try world.store(0).record(own)?[2] == .text("mine"))
        // Another process says so.
        let other = try world.devices[1].another()
        #expect(try other.acceptDeletes() == 1)
        other.close()
        try world.notice(1)
        try world.settle()
        #expect(world.links[index].isOver)
        world.links = []
        try world.heal()
        #expect(try count(world, 1) == 1)
    }

    @Test("taken back at once, deletes are held for no more than a minute of a live session")
    func takenBack() throws {
        let world = try world()
        let index = try world.connect(0, 1, isLive: true)
        try world.settle()
        try delete(Self.ids(60), on: 0, world)
        try world.settle()
        #expect(world.links[index].ends[1].report.held != nil)
        // This comes while nothing is taken, and nothing comes after it.
        for id in Self.ids(60) { try world.restore(0, id) }
        try world.settle()
        #expect(!world.links[index].isOver)
        for _ in 0..<7 where !world.links[index].isOver {
            try world.pass(milliseconds: 10_000)
            try world.settle()
        }
        #expect(world.links[index].isOver)
        world.links = []
        _ = try meet(world, 0, 1)
        #expect(try count(world, 1) == 60)
        #expect(try world.store(1).heldDeletes().isEmpty)
    }

    @Test("deletes that come through a relay are held, and this device's edits are uploaded")
    func relay() throws {
        let world = try world()
        let (relay, seal) = (NaiveRelay(), MarkSeal(secret: 5))
        for deviceIndex in [0, 1, 0] { try world.visit(deviceIndex, relay, seal: seal) }
        try delete(Self.ids(60), on: 0, world)
        let own = Store.derivedID(SyncWorld.todo, key: "own")
        try world.save(1, own, title("mine"))
        try world.visit(0, relay, seal: seal)
        for _ in 0..<2 {
            let result = try world.visit(1, relay, seal: seal)
            #expect(heldCode(result.end) == .ours)
            #expect(result.report.held != nil)
        }
        // Half of them and a batch came before.
        #expect(try count(world, 1) > 30)
        try world.visit(0, relay, seal: seal)
        #expect(try world.store(0).record(own)?[2] == .text("mine"))
        // Each word is for as many as were shown then, and a few more.
        var wordCount = 0
        while try world.store(1).acceptDeletes() > 0, wordCount < 5 {
            wordCount += 1
            try world.visit(1, relay, seal: seal)
        }
        #expect(wordCount == 2)
        for deviceIndex in [1, 0, 1] {
            #expect(try world.visit(deviceIndex, relay, seal: seal).end == .finished)
        }
        #expect(try count(world, 1) == 1)
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
    }
}
