import DeviceTestSupport
import Devices
import Session
import Storage
import Testing
import Transport

@Suite("Listening at an address", .timeLimit(.minutes(30)))
struct ListeningTests {
    @Test(
        "two stores sync over every transport that listens",
        arguments: ["tcp://127.0.0.1:0", "unix:FOLDER/socket"])
    func syncing(_ text: String) throws {
        let folder = TemporaryStores()
        for name in ["a", "b"] {
            let store = try folder.create(name)
            try TemporaryStores.add(name, to: store)
            store.close()
        }
        let address = text.split(separator: "FOLDER").joined(separator: folder.path("a"))
        let server = try RunningServer("a", in: folder, at: Endpoint(parsing: address))
        defer { server.stop() }
        let endpoint = try server.endpoint
        guard case .space = try SpaceProbe.ask(endpoint, plain: .thisMachine) else {
            Issue.record("the server does not tell its space")
            return
        }
        let store = try folder.open("b")
        defer { store.close() }
        let client = try SyncClient(store: store, endpoint: endpoint, plain: .thisMachine)
        #expect(try client.run() == .finished)
        #expect(try TemporaryStores.titles(store) == ["a", "b"])
        #expect(waitUntil { server.state.endings.last == .finished })
    }

    @Test(
        "an address at which nobody can listen is refused as an address",
        arguments: ["ssh://box", "127.0.0.1:0#" + String(repeating: "00ff", count: 16)])
    func refused(_ text: String) throws {
        let folder = TemporaryStores()
        let store = try folder.create("a")
        defer { store.close() }
        let server = try SyncServer(
            store: store,
            log: SyncServer.Log(listening: { _ in }, connected: { _ in }, ended: { _, _, _, _ in })
        )
        let endpoint = try Endpoint(parsing: text)
        let error = #expect(throws: TransportError.self) {
            try server.listen(at: endpoint, plain: .thisMachine)
        }
        guard case .invalidAddress(endpoint.description, _) = error else {
            Issue.record("it ended with \(String(describing: error))")
            return
        }
    }
}
