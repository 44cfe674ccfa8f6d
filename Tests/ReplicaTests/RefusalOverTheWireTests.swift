import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Peers that do not belong together, and stores that cannot go on")
struct RefusalOverTheWireTests {
    private func world(_ count: Int = 1) throws -> SyncWorld {
        let world = SyncWorld(seed: 5)
        for _ in 0..<count { try world.makeDevice() }
        return world
    }

    /// Returns the store's summary of itself; it must stay the same.
    private func state(_ world: SyncWorld) throws -> StoreSummary { try world.store(0).summary() }

    @Test("another space's hello is refused by name on both sides, and nothing is touched")
    func foreignSpace() throws {
        let world = try world()
        let before = try state(world)
        var peer = try RawPeer(calling: world.replica(0))
        try peer.say(.hello(RawPeer.hello(to: 8)))
        let error = try #require(peer.error)
        #expect(error.known == .foreignSpace && error.side == .both)
        #expect(error.message.contains("\(SpaceID(value: 7))"))
        #expect(error.message.contains("\(SpaceID(value: 8))"))
        #expect(peer.end == .failed(error, .both))
        #expect(try state(world) == before)
    }

    @Test("a hello of a newer version is told which versions are spoken, and who has to upgrade")
    func newerVersion() throws {
        let world = try world()
        let before = try state(world)
        var peer = try RawPeer(calling: world.replica(0))
        try peer.say(.hello(RawPeer.hello(to: 7, versions: 2...3)))
        let error = try #require(peer.error)
        #expect(error.known == .incompatible && error.side == .speaker)
        #expect(error.message.contains("\(WireLimits.versionMax)"))
        #expect(error.message.contains("2") && error.message.contains("3"))
        #expect(!error.advice.isEmpty)
        #expect(try state(world) == before)
    }

    @Test("who asks space 0 hears which space this is and what its rule is, and the session ends")
    func probe() throws {
        let world = try world()
        var peer = try RawPeer(calling: world.replica(0))
        try peer.say(.hello(RawPeer.hello(to: 0)))
        guard case .hello(let hello)? = peer.heard.first else {
            Issue.record("heard \(peer.heard)")
            return
        }
        #expect(hello.space == SpaceID(value: 7) && hello.policy == .deletesWin)
        #expect(hello.peerCheckpoint == nil)
        #expect(peer.heard.count == 1)
        #expect(peer.end == .finished)
    }

    @Test("bytes that are no message get an error frame, and the session ends")
    func garbage() throws {
        let world = try world()
        let before = try state(world)
        for bytes in [
            [UInt8](repeating: 0xff, count: 4), [UInt8](repeating: 0, count: 12),
            Array("GET / HTTP/1.1\r\n\r\n".utf8),
        ] {
            var peer = try RawPeer(calling: world.replica(0))
            try peer.say(bytes)
            let error = try #require(peer.error)
            #expect(error.known == .malformed && error.side == .hearer)
            #expect(peer.end == .failed(error, .theirs))
        }
        #expect(try state(world) == before)
        #expect(try world.replica(0).conversationCount == 0)
    }

    @Test("a full disk ends the session with a clear error on both sides; once freed all arrives")
    func fullDisk() throws {
        let world = SyncWorld(seed: 6)
        try world.makeDevice()
        try world.makeDevice()
        for number in 0..<200 {
            let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
            try world.save(
                0, id, [Assignment(.number(3), .text(String(repeating: "x", count: 5_000)))])
        }
        world.devices[1].close()
        world.devices[1].options.pageCountMax = 70
        try world.open(1)
        world.allowsForks = true  // Errors are looked at here.
        let index = try world.connect(0, 1)
        try world.settle()
        let ends = world.links[index].ends
        guard case .failed(let heard, .theirs)? = ends[0].end,
            case .failed(let told, .ours)? = ends[1].end
        else {
            Issue.record("ended with \(ends.map(\.end))")
            return
        }
        #expect(heard == told && heard.known == .store)
        #expect(heard.reason == .diskFull)
        #expect(!heard.message.contains(world.devices[1].folder), "paths stay at home")
        let path = StorePaths(folder: world.devices[1].folder).database
        #expect(world.devices[1].faults == [.diskFull(path: path)])
        #expect(try world.store(1).examine() == [])
        world.devices[1].close()
        world.devices[1].options.pageCountMax = 0
        try world.open(1)
        world.links = []
        world.allowsForks = false
        try world.heal()
        #expect(try world.store(1).count(FetchRequest(SyncWorld.todo)) == 200)
    }
}
