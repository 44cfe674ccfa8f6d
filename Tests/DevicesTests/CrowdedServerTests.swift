import DeviceTestSupport
import Devices
import Session
import Storage
import Testing
import Transport

@Suite("A server of a space without keys in a crowd", .timeLimit(.minutes(30)))
struct CrowdedServerTests {
    private let folder = TemporaryStores()

    private func sync(with server: RunningServer) throws -> SessionEnd {
        let store = try folder.open("b")
        defer { store.close() }
        let client = try SyncClient(
            store: store, endpoint: .tcp(server.hostAndPort), plain: .thisMachine)
        return try client.run()
    }

    @Test(
        "connections without a hello take a quarter of the room from one address, and keep no device out"
    )
    func silent() throws {
        for name in ["a", "b"] { try folder.create(name).close() }
        let server = try RunningServer("a", in: folder, sessionCountMax: 8)
        defer { server.stop() }
        let held = try (0..<10).map { _ in try RawConnection(to: server.hostAndPort) }
        #expect(waitUntil { server.state.connectedCount == 10 })
        #expect(waitUntil { held.filter(\.isOpen).count == 2 })
        #expect(held.suffix(2).allSatisfy { $0.isOpen }, "the newest stay")
        #expect(try sync(with: server) == .finished)
    }

    @Test("a server whose every session is without a hello ends one for a device")
    func full() throws {
        for name in ["a", "b"] { try folder.create(name).close() }
        let server = try RunningServer("a", in: folder, sessionCountMax: 1)
        defer { server.stop() }
        let held = try RawConnection(to: server.hostAndPort)
        #expect(waitUntil { server.state.connectedCount == 1 })
        #expect(try sync(with: server) == .finished)
        #expect(!held.isOpen)
    }
}
