import Core
import Crypto
import DeviceTestSupport
import Devices
import Glibc
import Relay
import RelayServer
import Storage
import Terminal
import Testing
import ToDo
import Transport
import simulate
import tandem

/// The walks of ARCHITECTURE.md, each in one scripted run of the code that users run.
///
/// `./Tools/walks` runs them in a build with coverage and lists the files of each. All loops take turns on one
/// thread, so that nothing else runs meanwhile. Sessions have begun and are idle when a walk begins.
@Suite("Walks", .serialized, .timeLimit(.minutes(30)))
struct WalkTests {
    #if Encryption
        private static let space = SpaceID(value: 7)
        /// The turns after which nothing more comes of an edit.
        private static let quietTurns = 100

        /// Two devices in a live session over TLS that have exchanged a first to-do.
        private func pair(
            _ walk: (
                _ here: WalkingDevice, _ loop: EventLoop, _ there: WalkingDevice,
                _ otherLoop: EventLoop
            ) throws -> Void
        ) throws {
            let here = try WalkingDevice("laptop", in: Self.space)
            let there = try WalkingDevice("phone", in: Self.space)
            let otherLoop = try there.begin(trusting: [here])
            let endpoint = try Endpoint(
                parsing: "\(there.address)#\(there.certificate.fingerprint)")
            let loop = try here.begin(with: [.device(endpoint)], trusting: [there])
            try CommandContext(here.commands).add(["Bread"])
            #expect(try takeTurns(loop, otherLoop) { try there.count(.live) == 1 })
            try takeTurns(loop, otherLoop, count: Self.quietTurns)
            try walk(here, loop, there, otherLoop)
        }

        @Test("a title typed for `tandem add` comes to the peer's live query")
        func title() throws {
            try pair { here, loop, there, otherLoop in
                let context = try CommandContext(here.commands)
                try there.show(on: otherLoop)
                try #require(there.results.refresh().count == 1)
                try WalkCounters.count("1-title") {
                    try context.add(["Milk"])
                    try takeTurns(loop, otherLoop) { there.results.rowCount == 2 }
                }
                #expect(there.results.rows.map { ToDoMapping.item($0).title }.contains("Milk"))
            }
        }

        @Test("bytes of a concurrent edit that wait in the socket become a merged record")
        func byte() throws {
            try pair { here, loop, there, otherLoop in
                try here.rename(to: "Rye bread")
                try there.rename(to: "White bread")
                try takeTurns(otherLoop, count: Self.quietTurns)
                try takeTurns(loop, count: Self.quietTurns)
                #expect(try there.count(.conflicted) == 0)
                try WalkCounters.count("2-byte") {
                    try takeTurns(otherLoop, count: Self.quietTurns)
                }
                #expect(try there.count(.conflicted) == 1)
            }
        }

        @Test("an upload goes through a relay to another device")
        func upload() throws {
            let folder = TemporaryFolder()
            let certificate = try DeviceCertificate()
            let relay = try RelayServer(
                RelayServerOptions(
                    hostAndPort: HostAndPort(host: "127.0.0.1", port: 0), certificate: certificate,
                    relay: RelayOptions(folder: folder.path))
            ) { _ in }
            try relay.listen()
            let port = try #require(relay.address?.port)
            let address = RelayAddress(
                HostAndPort(host: "127.0.0.1", port: port), fingerprint: certificate.fingerprint)
            func contact() throws -> Contact {
                let secret = try #require(
                    SpaceSecret(bytes: [UInt8](repeating: 1, count: 32), generation: 1))
                return .relay(address, .sealed(by: try SpaceSealer(secret, of: Self.space)))
            }
            let here = try WalkingDevice("laptop", in: Self.space)
            let there = try WalkingDevice("phone", in: Self.space)
            let loop = try here.begin(with: [contact()])
            let otherLoop = try there.begin(with: [contact()])
            let context = try CommandContext(here.commands)
            try context.add(["Bread"])
            #expect(try takeTurns(loop, relay.loop, otherLoop) { try there.count(.live) == 1 })
            try takeTurns(loop, relay.loop, otherLoop, count: Self.quietTurns)
            try context.add(["Milk"])
            try WalkCounters.count("3-upload") {
                try takeTurns(loop, relay.loop, otherLoop, count: Self.quietTurns)
            }
            #expect(try there.count(.live) == 2)
            relay.loop.schedule(after: .zero) { relay.loop.stop() }
            try relay.serve()
        }
    #endif

    @Test("the lines of a scenario come to a verdict")
    func scenario() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(root)/Tools/simulate/Scenarios/merging/done-on-two-devices.scenario"
        let diagram = "/tmp/tandem-walk-\(getpid()).html"
        defer { unlink(diagram) }
        try WalkCounters.count("4-scenario") {
            let code = try ScenarioRun.run([path, "--diagram", diagram])
            #expect(code == .ok)
        }
    }
}
