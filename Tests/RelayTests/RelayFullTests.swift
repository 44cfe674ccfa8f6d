import Core
import Relay
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
}

/// A store in memory that fails when it is told to.
private final class FailingRelayStore: RelayStore {
    private let store: MemoryRelayStore
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

    var limits: RelayLimits {
        get { store.limits }
        set { store.limits = newValue }
    }
    var totals: RelayStoreTotals { store.totals }

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

    func forget(_ space: SpaceID) { store.forget(space) }
    func close() { store.close() }
    func head(of space: SpaceID) throws(StoreFault) -> RelaySpaceHead? {
        try store.head(of: space)
    }
    func versions(of record: RecordName, in space: SpaceID) throws(StoreFault) -> [Change] {
        try store.versions(of: record, in: space)
    }
    func notice(of replica: ReplicaID, in space: SpaceID) throws(StoreFault) -> [UInt8]? {
        try store.notice(of: replica, in: space)
    }
    func devices(of space: SpaceID) throws(StoreFault) -> [RelayDevice] {
        try store.devices(of: space)
    }
    func examine(_ space: SpaceID) throws(StoreFault) -> [String] { try store.examine(space) }
}
