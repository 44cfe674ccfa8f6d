import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Devices that read all a relay has before they show themselves")
struct RelayFetchTests {
    private let relay = NaiveRelay()
    private let seal = MarkSeal(secret: 5)
    private let world = SyncWorld(seed: 1)

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    private func id(_ number: Int) -> RecordID {
        Store.derivedID(SyncWorld.todo, key: "\(number)")
    }

    /// A device with forty records that are at the relay, and another one that has read them, and left nothing.
    private func fetched() throws {
        for _ in 0...1 { try world.makeDevice() }
        for number in 0..<40 { try world.save(0, id(number), title("t\(number)")) }
        try world.visit(0, relay, seal: seal)
        try read()
    }

    private func read() throws {
        let (count, bytes) = (relay.receivedCount, relay.bytes)
        let result = try world.visit(1, relay, seal: seal, isReader: true)
        #expect(result.end == .finished)
        #expect(result.report.sentCount == 0)
        #expect((relay.receivedCount, relay.bytes) == (count, bytes), "a reader leaves nothing")
        #expect(try world.store(1).record(id(0)) != nil)
    }

    /// How many changes the device uploads now.
    private func uploaded() throws -> Int {
        let before = relay.receivedCount
        let result = try world.visit(1, relay, seal: seal)
        #expect(result.end == .finished)
        #expect(relay.receivedCount - before == result.report.sentCount)
        return result.report.sentCount
    }

    @Test("what was read is not uploaded, what is here alone is, and it is remembered")
    func uploadsItsOwn() throws {
        try fetched()
        try world.save(1, id(3), title("edited here"))
        try world.save(1, id(100), title("made here"))
        // Its name besides.
        #expect(try uploaded() == 3)
        #expect(try uploaded() == 0)
        try world.visit(0, relay, seal: seal)
        #expect(try world.store(0).record(id(3))?[2] == .text("edited here"))
        #expect(try world.store(0).record(id(100))?[2] == .text("made here"))
    }

    @Test("what was here before the reading, and what became another by it, is uploaded")
    func uploadsWhatWasThere() throws {
        for _ in 0...1 { try world.makeDevice() }
        for number in 0..<40 { try world.save(0, id(number), title("t\(number)")) }
        try world.save(1, id(200), title("here before"))
        try world.save(1, id(7), [Assignment(.number(3), .text("another field"))])
        try world.visit(0, relay, seal: seal)
        try read()
        #expect(try uploaded() == 3)
        try world.visit(0, relay, seal: seal)
        #expect(try world.store(0).record(id(200))?[2] == .text("here before"))
        #expect(try world.store(0).record(id(7))?[3] == .text("another field"))
    }

    @Test("a relay that was set back meanwhile gets everything")
    func uploadsToAnother() throws {
        try fetched()
        relay.setBack(toVersions: 10)
        #expect(try uploaded() == 42)
        try world.makeDevice()
        try world.visit(2, relay, seal: seal)
        #expect(try world.store(2).record(id(39)) != nil)
    }

    @Test("one that was wiped meanwhile gets everything")
    func uploadsToWiped() throws {
        try fetched()
        relay.wipe()
        #expect(try uploaded() == 42)
    }

    @Test("only the first session goes by it: the relay's own word counts from then on")
    func countsOnce() throws {
        try fetched()
        #expect(try uploaded() == 1)
        relay.forgetUploads()
        #expect(try uploaded() == 42)
    }

    @Test("a store with more of its own than a few records is uploaded whole")
    func uploadsFilledStore() throws {
        for _ in 0...1 { try world.makeDevice() }
        for number in 0..<40 { try world.save(0, id(number), title("t\(number)")) }
        for number in 1000..<1070 { try world.save(1, id(number), title("t\(number)")) }
        try world.visit(0, relay, seal: seal)
        try read()
        #expect(try uploaded() == 41 + 71)
    }

    // Goal: what cannot be read here, and is forwarded as it came, gets to a relay that does not have it.
    // Method: one relay has a body that nobody can decode; a device reads that relay first, and then another one.
    @Test("what one relay had and is set aside here is uploaded to the other")
    func uploadsDeferred() throws {
        let other = NaiveRelay()
        other.wipe()
        let clock = VersionVector(Dot(replica: ReplicaID(value: 77), counter: 1))
        let change = try RelayVersion.of(
            Change(id: id(500), clock: clock, body: [0xff, 0x00]), with: seal)
        _ = NaiveRelay.Visit(other).answer(.changes(ChangeBatch(changes: [change], through: nil)))
        for _ in 0...2 { try world.makeDevice() }
        for number in 0..<40 { try world.save(0, id(number), title("t\(number)")) }
        try world.visit(0, relay, seal: seal)
        try world.visit(1, other, seal: seal, isReader: true)
        #expect(try world.store(1).allDeferred().count == 1)
        try read()
        _ = try uploaded()
        try world.visit(2, relay, seal: seal)
        #expect(try world.store(2).allDeferred().map(\.change.id) == [id(500)])
    }

    @Test("a reading that was cut heals, and nothing is missing at the relay", arguments: 1...12)
    func cut(_ cut: Int) throws {
        try fetched()
        try world.save(1, id(100), title("made here"))
        try world.visit(1, relay, seal: seal, cutAfter: cut)
        for index in [1, 0, 1] { try world.visit(index, relay, seal: seal) }
        #expect(try world.store(0).record(id(100))?[2] == .text("made here"))
        #expect(try world.store(0).summary().digest == world.store(1).summary().digest)
    }

    // Goal: a relay's former generation is read once more before the relay drops it; what was written there and is
    // nowhere else has to be taken, also behind deletes that are held.
    // Method: the thief deletes all, and the phone, which holds that itself, leaves five records behind it.
    @Test("deletes that are held are set aside, and all that lies behind them is taken")
    func takesWhatLiesBehindHeldDeletes() throws {
        for _ in 0...2 { try world.makeDevice() }
        for number in 0..<40 { try world.save(0, id(number), title("t\(number)")) }
        for device in 0...2 { try world.visit(device, relay, seal: seal) }
        for number in 0..<40 { try world.delete(1, id(number)) }
        try world.visit(1, relay, seal: seal)
        for number in 100..<105 { try world.save(2, id(number), title("p\(number)")) }
        try world.visit(2, relay, seal: seal)
        let result = try world.visit(0, relay, seal: seal, isReader: true)
        #expect(result.end == .finished)
        #expect(result.report.isCaughtUp)
        let held = try #require(result.report.held)
        #expect(held.deletedCount == 40)
        // Some came while they were few.
        #expect(held.takenCount <= MassDeleteLimits().freeCount)
        let store = try world.store(0)
        let count = 45 - held.takenCount
        #expect(try store.count(FetchRequest(SyncWorld.todo)) == count)
        // It shows itself with what it has, and without the deletes.
        let other = NaiveRelay()
        other.wipe()
        #expect(try world.visit(0, other, seal: seal).end == .finished)
        let newcomer = try world.makeDevice()
        #expect(try world.visit(newcomer, other, seal: seal).end == .finished)
        #expect(try world.store(newcomer).count(FetchRequest(SyncWorld.todo)) == count)
        try store.acceptDeletes()
        #expect(try store.count(FetchRequest(SyncWorld.todo)) == 5)
    }
}
