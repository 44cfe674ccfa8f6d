import Core
import Crypto
import DeviceTestSupport
import Devices
import Storage
import Testing

@Suite("A device by whose word too many new replica ids were taken")
struct IdentitySpendingTests {
    /// Has a store take new ids by the word of a peer.
    private func spend(_ store: Store, by peer: [UInt8]) throws {
        for _ in 1...Store.peerChangeCountMax {
            let history = History(replica: store.replica, counter: 1_000_000, incarnations: [])
            #expect(try store.resolve(history, toldBy: peer))
        }
    }

    @Test(
        "is refused by its key with a reason of its own, is named, and is let in once it is admitted"
    )
    func byKey() throws {
        let stores = TemporaryStores()
        let device = Device(try stores.create("a"))
        let key = [UInt8](repeating: 7, count: 32)
        let shown = try #require(Fingerprint(bytes: key))
        let refusal = DeviceAccess.refusal(in: device.store)
        let stated = ReplicaID(value: 99)
        #expect(refusal(stated, shown) == nil)
        try spend(device.store, by: key)
        #expect(refusal(stated, shown)?.reason == .spendsReplicaIDs)
        #expect(refusal(stated, shown)?.known == .refused)
        #expect(refusal(stated, nil) == nil)
        let spender = try #require(try device.refusedSpenders().first)
        #expect(spender.name == "device \(shown.short)")
        #expect(spender.changeCount == Store.peerChangeCountMax)
        let status = try DeviceStatus(of: device, now: spender.end)
        #expect(status.refusedSpenders.map(\.name) == [spender.name])
        try device.admit(spender)
        #expect(refusal(stated, shown) == nil)
        #expect(try device.refusedSpenders().isEmpty)
    }

    @Test("is refused by the replica id that it states where it shows no key")
    func withoutKeys() throws {
        let stores = TemporaryStores()
        let device = Device(try stores.create("a"))
        let stated = ReplicaID(value: 99)
        try spend(device.store, by: stated.bytes)
        let refusal = DeviceAccess.refusal(in: device.store)
        #expect(refusal(stated, nil)?.reason == .spendsReplicaIDs)
        #expect(refusal(ReplicaID(value: 98), nil) == nil)
    }
}
