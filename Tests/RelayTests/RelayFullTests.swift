import Core
import Relay
import RelayTestSupport
import Session
import Storage
import Testing

@Suite("A relay that cannot take what devices upload")
struct RelayFullTests {
    private typealias Desk = RelayDesk

    @Test("a device is let in and reads while the file of its space cannot be written")
    func busyFile() throws {
        let world = RelayWorld()
        let store = try SQLiteRelayStore(
            in: world.folder, limits: RelayLimits(), environment: world.environment)
        let desk = RelayDesk(
            world, RelayEngine(options: world.options, access: world, store: store))
        let alice = desk.relayHello(1, device: 1)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        let file = try Connection(
            path: SQLiteRelaySpace.path(of: RelayWorld.space, in: world.folder),
            on: world.environment.disk, creates: false, busyMilliseconds: 0)
        try file.execute("BEGIN IMMEDIATE")
        _ = desk.heard(by: alice)
        let bob = desk.relayHello(2, device: 2)
        #expect(desk.heard(by: bob).kinds == [21, 2, 23])
        #expect(desk.ends == [:])
        try file.execute("ROLLBACK")
        file.close()
        let devices = try store.devices(of: RelayWorld.space).map(\.fingerprint.first)
        #expect(devices == [1], "the visit was not noted")
        desk.run(bob, .lost)
        _ = desk.relayHello(2, device: 2)
        #expect(try store.devices(of: RelayWorld.space).count == 2)
    }

    @Test(
        "a disk that cannot be written ends no conversation but the one that needed it",
        arguments: [
            StoreFault.diskFull(path: ""), .busy(holder: "", waitedMilliseconds: 0),
            .readOnly(path: ""),
        ])
    func othersReadOn(fault: StoreFault) throws {
        let (desk, store) = try Self.failing()
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        store.admitFault = fault
        let carol = desk.relayHello(3)
        #expect(desk.error(carol)?.known == .store)
        store.admitFault = nil
        store.readFault = fault
        let dave = desk.relayHello(4)
        #expect(desk.error(dave)?.known == .store)
        store.readFault = nil
        store.commitFault = fault
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        #expect(desk.error(alice)?.known == .store)
        store.commitFault = nil
        #expect(desk.ends[bob] == nil)
        _ = desk.heard(by: bob)
        desk.say(desk.relayHello(1), Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        #expect(desk.changes(bob) == [Desk.change(5, 1, 1)])
    }

    @Test("damage ends all conversations about the space")
    func damage() throws {
        let (desk, store) = try Self.failing()
        let alice = desk.relayHello(1)
        store.readFault = .corrupt(path: "", detail: "")
        let bob = desk.relayHello(2)
        #expect([alice, bob].allSatisfy { desk.error($0)?.reason == .damagedStore })
    }

    private static func failing() throws -> (RelayDesk, FailingRelayStore) {
        let world = RelayWorld()
        let store = FailingRelayStore()
        return (
            RelayDesk(
                world,
                RelayEngine(options: world.options, access: world, store: store)), store
        )
    }

    @Test(
        "a device whose upload is refused reads first what is there, and nothing of the rest is kept"
    )
    func readsFirst() throws {
        let desk = try RelayDesk {
            $0.limits.spaceRecordCountMax = 40
            $0.limits.batchByteCountMax = 1
        }
        let alice = desk.relayHello(1)
        desk.say(alice, Desk.batch((1...40).map { Desk.change($0, 1, UInt64($0)) }, through: 40))
        desk.commit()
        let bob = desk.relayHello(2)
        var read = desk.changes(bob)
        #expect(read.count == 16)
        desk.say(bob, Desk.batch([Desk.change(77, 2, 1)], through: 1))
        desk.commit()
        // It would be kept, but comes behind what is not.
        desk.say(bob, Desk.batch([Desk.change(1, 2, 2)], through: 2))
        desk.commit()
        #expect(desk.ends[bob] == nil)
        while desk.ends[bob] == nil, read.count < 100 {
            desk.say(bob, .acknowledge(UInt64(read.count)))
            let messages = desk.heard(by: bob)
            #expect(messages.acknowledged == nil)
            read += messages.flatMap { (message) -> [Change] in
                if case .changes(let batch) = message { batch.changes } else { [] }
            }
        }
        #expect(read.count == 40)
        #expect(desk.error(bob)?.reason == .records)
        #expect(try desk.node.store(of: RelayWorld.space)?.versionCount == 40)
    }

    @Test("a device at its own limit of bytes is refused, and the others go on")
    func deviceBytes() throws {
        let size = RelayQuota.byteCount(of: Desk.change(5, 1, 1, 100))
        let desk = try RelayDesk { $0.limits.deviceByteCountMax = 3 * size }
        let other = SpaceID(value: 8)
        func upload(_ id: RelayServerSessionID, _ counter: UInt64, _ changes: Int = 1) {
            let batch = (0..<changes).map { Desk.change(UInt128(5 + $0), 1, counter, 100) }
            desk.say(id, Desk.batch(batch, through: counter))
            desk.commit()
        }
        let (alice, bob) = (desk.relayHello(1, device: 1), desk.relayHello(2, device: 2))
        upload(alice, 1)
        // A version that is there already counts nothing, and of one that replaces another only the difference.
        for _ in 0..<4 { upload(alice, 1) }
        upload(alice, 2)
        #expect(desk.ends[alice] == nil)
        // Both connections of a device count together; other spaces do not.
        let second = desk.relayHello(1, device: 1)
        desk.say(second, .acknowledge(1))
        upload(second, 3, 3)
        upload(desk.relayHello(1, space: other, device: 1), 1, 3)
        for id in [alice, bob, second] { #expect(desk.ends[id] == nil) }
        desk.say(alice, .acknowledge(1))
        upload(alice, 4)
        #expect(desk.error(alice)?.known == .overLimit)
        #expect(desk.error(alice)?.reason == .deviceBytes)
        #expect(desk.error(alice)?.message.contains(" \(3 * size) ") == true)
        #expect(desk.node.statistics.refusals == [.deviceBytes: 1])
        upload(bob, 9)
        #expect(desk.heard(by: bob).acknowledged == 1)
        upload(desk.relayHello(3), 10, 4)
        #expect(desk.ends.count == 1, "a device without a key has no limit of its own")
        // It reads all the same.
        let again = desk.relayHello(1, device: 1)
        upload(again, 5)
        #expect(desk.changes(again).count == 4)
        desk.say(again, .acknowledge(1))
        #expect(desk.error(again)?.reason == .deviceBytes)
        desk.pass(milliseconds: 24 * 60 * 60 * 1000 - 1)
        let early = desk.relayHello(1, device: 1)
        desk.say(early, .acknowledge(1))
        upload(early, 20)
        #expect(desk.error(early)?.reason == .deviceBytes)
        desk.pass(milliseconds: 1)
        let late = desk.relayHello(1, device: 1)
        desk.say(late, .acknowledge(1))
        upload(late, 20)
        #expect(desk.ends[late] == nil && desk.heard(by: late).acknowledged == 1)
    }

    @Test(
        "an upload counts for its device if it is committed, though the device is gone by then; one that fails does not"
    )
    func deviceBytesOfCommits() throws {
        let size = RelayQuota.byteCount(of: Desk.change(5, 1, 1, 100))
        let world = RelayWorld()
        let desk = try RelayDesk(world) { $0.limits.deviceByteCountMax = 2 * size }
        func batch(_ counter: UInt64) -> Message {
            Desk.batch([Desk.change(UInt128(counter), 1, counter, 100)], through: counter)
        }
        for counter in 1...2 as ClosedRange<UInt64> {
            let id = desk.relayHello(1, device: 1)
            desk.say(id, batch(counter))
            desk.run(id, .lost)
            desk.commit()
        }
        #expect(try desk.node.store(of: RelayWorld.space)?.versionCount == 2)
        let full = desk.relayHello(1, device: 1)
        desk.say(full, .acknowledge(1))
        desk.say(full, batch(3))
        desk.commit()
        #expect(desk.error(full)?.reason == .deviceBytes)

        let failing = FailingRelayStore()
        var options = world.options
        options.limits.deviceByteCountMax = 2 * size
        let broken = RelayDesk(
            world, RelayEngine(options: options, access: world, store: failing))
        let id = broken.relayHello(1, device: 1)
        failing.commitFault = .diskFull(path: "")
        for counter in 1...4 as ClosedRange<UInt64> {
            broken.say(id, batch(counter))
            broken.commit()
        }
        failing.commitFault = nil
        let later = broken.relayHello(1, device: 1)
        broken.say(later, batch(1))
        broken.commit()
        #expect(broken.error(later)?.reason != .deviceBytes)
        #expect(broken.heard(by: later).acknowledged == 1)
    }

    @Test(
        "an upload longer than a device's limit is taken alone, and of too many counts the first is forgotten"
    )
    func deviceCounts() throws {
        let desk = try RelayDesk {
            $0.limits.deviceByteCountMax = 10
            $0.limits.uploadingDeviceCountMax = 2
        }
        func upload(_ device: UInt8, _ counter: UInt64) -> PeerError.Reason? {
            let id = desk.relayHello(UInt128(device), read: nil, device: device)
            if !desk.changes(id).isEmpty { desk.say(id, .acknowledge(1)) }
            desk.say(
                id,
                Desk.batch(
                    [Desk.change(UInt128(device), UInt128(device), counter, 100)], through: counter)
            )
            desk.commit()
            return desk.error(id)?.reason
        }
        #expect(upload(1, 1) == nil)
        #expect(upload(1, 2) == .deviceBytes)
        desk.pass(milliseconds: 1)
        #expect(upload(2, 1) == nil)
        #expect(upload(1, 2) == .deviceBytes)
        #expect(upload(3, 1) == nil)
        #expect(upload(2, 2) == .deviceBytes)
        #expect(upload(1, 2) == nil, "its count was the oldest")
    }
}

/// A store in memory that fails when it is told to.
private final class FailingRelayStore: SynchronousRelayStore, WrappingRelayStore {
    let store: MemoryRelayStore
    var admitFault: StoreFault?
    var readFault: StoreFault?
    var commitFault: StoreFault?

    init() {
        var bits: UInt64 = 0
        store = MemoryRelayStore(on: MemoryRelayDisk(), limits: RelayLimits()) {
            bits += 256
            return bits
        }
    }

    func admit(
        _ relayHello: RelayHello, from visitor: RelayVisitor?,
        _ decide: (RelaySpaceHead?, _ otherSpaceCount: Int) -> RelayDecision
    ) throws(StoreFault) -> RelayAdmission {
        if let admitFault { throw admitFault }
        return try store.admit(relayHello, from: visitor, decide)
    }

    func commit(
        _ uploads: [RelayUpload], to key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayCommit {
        if let commitFault { throw .failed(commitFault) }
        return try store.commit(uploads, to: key)
    }

    func read(
        _ request: RelayReadRequest, of key: RelaySpaceKey
    ) throws(RelayStoreFault) -> RelayReading {
        if let readFault { throw .failed(readFault) }
        return try store.read(request, of: key)
    }
}
