import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("A peer that says it has more of a device's writes than the device has made")
final class IdentitySpendingTests {
    private let folder = ScratchFolder()
    private var now: Int64 = 1_800_000_000_000
    private var bits: UInt64 = 5
    private lazy var environment = StoreEnvironment(
        wallMilliseconds: { [unowned self] in now },
        drawBits: { [unowned self] in
            bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return bits ^ bits >> 31
        }, machine: "m", boot: "b")

    private func replica() throws -> Replica {
        let store = try Store.create(
            folder: folder.path + "/victim", schema: SyncWorld.schema, space: SpaceID(value: 5),
            deviceName: "victim", environment: environment)
        let replica = Replica(store: store)
        replica.refusal = { stated, key in
            let spenders = (try? store.identitySpenders()) ?? []
            return spenders.contains { $0.peer == key ?? stated.bytes }
                ? PeerError(.refused, reason: .spendsReplicaIDs, "", side: .hearer, advice: "")
                : nil
        }
        return replica
    }

    /// Greets with a number above the victim's, and answers its question with a made-up history.
    private func lie(
        to replica: Replica, as key: [UInt8]?, stating stated: UInt128 = 99
    ) throws -> PeerError? {
        let own = replica.store.replica
        var hello = RawPeer.hello(to: 5)
        hello.replica = ReplicaID(value: stated)
        hello.peerCheckpoint = PeerCheckpoint(
            peer: own, checkpoint: nil, counter: 1_000_000, epoch: nil)
        var liar = try RawPeer(calling: replica, shownKey: key)
        try liar.say(.hello(hello))
        if liar.end == nil {
            try liar.say(
                .history(History(replica: own, counter: 1_000_000, incarnations: [])))
        }
        return liar.error
    }

    @Test(
        "brings about two new ids within a day, is then refused by its key, and a day later heard again"
    )
    func byKey() throws {
        let replica = try replica()
        let store = replica.store
        for count in 1...Store.peerChangeCountMax {
            let before = store.replica
            #expect(try lie(to: replica, as: [7]) != nil)
            #expect(store.replica != before)
            #expect(try store.identityChanges().count == count)
        }
        let kept = store.replica
        for stated in 100...103 as ClosedRange<UInt128> {
            #expect(try lie(to: replica, as: [7], stating: stated)?.reason == .spendsReplicaIDs)
        }
        #expect(store.replica == kept)
        #expect(try store.identitySpenders().map(\.peer) == [[7]])
        // Another device is heard: this store may have been set back indeed.
        #expect(try lie(to: replica, as: [8])?.reason != .spendsReplicaIDs)
        #expect(store.replica != kept)
        now += Store.peerChangeMilliseconds + 1
        #expect(try store.identitySpenders().isEmpty)
        #expect(try lie(to: replica, as: [7])?.known == .newIdentity)
    }

    @Test(
        "counts by the id that it states where links have no keys, and is heard again once it is admitted"
    )
    func withoutKeys() throws {
        let replica = try replica()
        let store = replica.store
        for _ in 1...Store.peerChangeCountMax { _ = try lie(to: replica, as: nil) }
        let kept = store.replica
        #expect(try lie(to: replica, as: nil)?.reason == .spendsReplicaIDs)
        #expect(store.replica == kept)
        try store.forgiveIdentityChanges(toldBy: ReplicaID(value: 99).bytes)
        #expect(try store.identitySpenders().isEmpty)
        #expect(try lie(to: replica, as: nil)?.known == .newIdentity)
    }

    @Test("stays refused when the store is opened anew")
    func durable() throws {
        let replica = try replica()
        for _ in 1...Store.peerChangeCountMax { _ = try lie(to: replica, as: [7]) }
        let first = try replica.store.identitySpenders()
        replica.store.close()
        let again = try Store.open(
            folder: folder.path + "/victim", schema: SyncWorld.schema, environment: environment)
        #expect(try again.identitySpenders() == first)
        #expect(first.map(\.changeCount) == [Store.peerChangeCountMax])
        #expect(first.first?.end == now + Store.peerChangeMilliseconds)
        again.close()
    }
}
