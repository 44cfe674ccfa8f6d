import Core
import Relay
import RelayTestSupport
import Session
import Storage
import Testing

/// A store that lets time pass in each commit, and answers before the call returns.
private final class SlowRelayStore: WrappingRelayStore {
    let store: MemoryRelayStore
    /// Is called in each commit.
    var onCommit: () -> Void = {}

    init() {
        var bits: UInt64 = 1
        store = MemoryRelayStore(on: MemoryRelayDisk(), limits: RelayLimits()) {
            bits += 256
            return bits
        }
    }

    func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?, _ decide: @escaping Decide,
        then: @escaping (Result<RelayAdmission, StoreFault>) -> Void
    ) {
        store.admit(relayHello, from: visitor, decide, then: then)
    }

    func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey,
        then: @escaping (Result<RelayCommit, RelayStoreFault>) -> Void
    ) {
        onCommit()
        store.commit(uploads, to: key, then: then)
    }

    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey,
        then: @escaping (Result<RelayReading, RelayStoreFault>) -> Void
    ) {
        store.read(request, of: key, then: then)
    }

    func settle() { store.settle() }
}

@Suite("A relay whose store is slow blames no device")
struct RelaySlowStoreTests {
    private typealias Desk = RelayDesk

    /// A batch of a device with one record of its own.
    private static func upload(_ counter: UInt64, _ byteCount: Int = 3) -> Message {
        Desk.batch([Desk.change(UInt128(counter), 1, counter, byteCount)], through: counter)
    }

    @Test(
        "the deadlines of a device that is not read stand still, and run on once it is read again")
    func unread() {
        let (desk, store) = RelayDesk.late { $0.limits.queuedByteCountMax = 10_000 }
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        desk.answerAll(store)
        desk.say(bob, Desk.batch([Desk.change(99, 2, 1)], through: 1))
        desk.answerAll(store)
        #expect(desk.changes(alice).count == 1)
        desk.pass(milliseconds: 5_000)
        for counter: UInt64 in 1...8 {
            desk.say(alice, Self.upload(counter, 2000))
            desk.commit()
        }
        // The acknowledgement is behind uploads that the relay does not read.
        desk.say(alice, .acknowledge(1))
        for round: UInt64 in 1...6 {
            desk.pass(milliseconds: 10_000)
            desk.say(alice, .ping(round))
            desk.say(bob, .ping(round))
        }
        #expect(desk.ends[alice] == nil)
        desk.answerAll(store)
        #expect(desk.heard(by: alice).acknowledged == 8)
        let batchCount = desk.heard(by: bob).kinds.count { $0 == 2 }
        desk.say(bob, .acknowledge(UInt64(batchCount)))
        // The acknowledgement counts, and so does the lack of one from now on.
        desk.say(bob, Desk.batch([Desk.change(98, 2, 2)], through: 2))
        desk.answerAll(store)
        for round: UInt64 in 7...9 {
            #expect(desk.ends[alice] == nil)
            desk.pass(milliseconds: 10_000)
            desk.say(alice, .ping(round))
            desk.say(bob, .ping(round))
        }
        desk.pass(milliseconds: 1_000)
        #expect(desk.error(alice)?.reason == .slowReader)
        #expect(desk.ends[bob] == nil)
    }

    @Test("a device that says nothing after it is read again is left after the usual wait")
    func silentAfterwards() {
        let (desk, store) = RelayDesk.late { $0.limits.queuedByteCountMax = 10_000 }
        let alice = desk.relayHello(1)
        desk.answerAll(store)
        for counter: UInt64 in 1...8 {
            desk.say(alice, Self.upload(counter, 2000))
            desk.commit()
        }
        for _ in 0..<6 { desk.pass(milliseconds: 10_000) }
        desk.answerAll(store)
        #expect(desk.heard(by: alice).acknowledged == 8)
        for _ in 0..<2 { desk.pass(milliseconds: 10_000) }
        #expect(desk.ends[alice] == nil)
        desk.pass(milliseconds: 10_000)
        #expect(desk.error(alice)?.known == .timeout)
    }

    @Test("a commit of 40 s that keeps the relay from reading moves the deadlines of all devices")
    func blocked() throws {
        let (world, store) = (RelayWorld(), SlowRelayStore())
        let node = RelayEngine(options: world.options, access: world, store: store)
        node.stages = RelayStageClock(now: { world.now.milliseconds * 1000 })
        let desk = Desk(world, node)
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        let mute = desk.open()
        desk.say(alice, Self.upload(1))
        desk.commit()
        #expect(desk.changes(bob).count == 1)
        desk.pass(milliseconds: 5_000)
        desk.say(alice, Self.upload(2))
        store.onCommit = { world.now = world.now.advanced(byMilliseconds: 40_000) }
        desk.commit()
        store.onCommit = {}
        // The wakes come before what the devices have sent meanwhile is read.
        desk.pass(milliseconds: 0)
        #expect(desk.ends.isEmpty)
        desk.say(bob, .acknowledge(2))
        desk.pass(milliseconds: 5_000)
        #expect(desk.error(mute)?.known == .timeout)
        desk.say(alice, .ping(1))
        desk.pass(milliseconds: 15_000)
        desk.say(alice, .ping(2))
        desk.pass(milliseconds: 10_000)
        #expect(desk.error(bob)?.known == .timeout)
        #expect(desk.ends[alice] == nil)
    }

    @Test("a device that is let in after 40 s is not silent, whatever it has said meanwhile")
    func admittedLate() {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        for _ in 0..<4 { desk.pass(milliseconds: 10_000) }
        desk.answerAll(store)
        desk.pass(milliseconds: 0)
        #expect(desk.ends[alice] == nil)
        #expect(desk.heard(by: alice).kinds == [21, 23])
        for _ in 0..<3 { desk.pass(milliseconds: 10_000) }
        #expect(desk.error(alice)?.known == .timeout)
    }
}
