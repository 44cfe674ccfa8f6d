import Core
import DeviceTestSupport
import Devices
import Storage
import Testing

@Suite("A device that came into a space and has never had all of it")
struct FirstExchangeTests {
    /// A store as a join leaves it that was killed right after making it.
    private func cutShort(_ stores: TemporaryStores) throws -> Device {
        let store = try Store.create(
            folder: stores.path("a"), schema: TemporaryStores.schema, space: SpaceID(value: 7),
            deviceName: "a", environment: SystemEnvironment.environment(),
            localEntry: FirstExchangeNote.entry)
        return Device(store)
    }

    private func codes(_ device: Device) throws -> [String] {
        try DeviceStatus(of: device, now: SystemEnvironment.wallMilliseconds()).problems.map(\.code)
    }

    @Test("lacks the keys as well until they come, and is not green until the first exchange ends")
    func order() throws {
        let stores = TemporaryStores()
        let device = try cutShort(stores)
        #expect(try codes(device) == ["keys-missing"])
        var keyring = Keyring(space: device.store.space)
        keyring.isPlain = true
        try keyring.write(in: device.folder)
        defer { Keyring.remove(in: device.folder) }
        #expect(try codes(device) == ["first-exchange-due"])
        try FirstExchangeNote.end(in: device.store)
        #expect(try codes(device).isEmpty)
    }

    @Test("lacks the keys if those that are here are of the space that it left")
    func otherSpace() throws {
        let stores = TemporaryStores()
        let device = try cutShort(stores)
        var keyring = Keyring(space: SpaceID(value: 8))
        keyring.isPlain = true
        try keyring.write(in: device.folder)
        defer { Keyring.remove(in: device.folder) }
        #expect(try codes(device) == ["keys-missing"])
    }

    @Test("says so as well after it was opened anew, and if it was moved from another space")
    func moved() throws {
        let stores = TemporaryStores()
        try stores.create("a").close()
        let first = Device(try stores.open("a"))
        #expect(try codes(first).isEmpty)
        try first.store.enter(space: SpaceID(value: 9), policy: .deletesWin) {
            transaction throws(StoreFault) in try FirstExchangeNote.begin(transaction)
        }
        first.close()
        let again = Device(try stores.open("a"))
        #expect(try FirstExchangeNote.isDue(in: again.store))
        #expect(try codes(again) == ["keys-missing"])
    }
}
