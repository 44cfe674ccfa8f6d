import Core
import Session
import Storage
import TestSupport
import Testing

@Suite("Copies, restored backups and power cuts among three devices")
struct IdentityOverTheWireTests {
    private static let id = SyncWorld.ids[0]

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    private func world(_ count: Int) throws -> SyncWorld {
        let world = SyncWorld(seed: 3)
        for _ in 0..<count { try world.makeDevice() }
        try world.save(0, Self.id, title("first"))
        try world.heal()
        return world
    }

    /// Puts an image over a device's store, as `cp -r backup/. store/` does.
    private func setBack(_ world: SyncWorld, _ deviceIndex: Int, to image: FolderImage) throws {
        world.vanish(deviceIndex)
        world.devices[deviceIndex].close()
        SyncWorld.waitForTick()
        image.put(into: world.devices[deviceIndex].folder, .overwriting)
        SyncWorld.waitForTick()
        world.devices[deviceIndex].holdings = [:]
        world.devices[deviceIndex].sequence = 0
        world.allowsGaps = true
        #expect(try world.open(deviceIndex))
    }

    @Test("a copy and its original are both used; a third that never saw the last writes gets all")
    func copy() throws {
        let world = try world(3)
        try world.save(0, Self.id, title("never seen by 2"))
        try world.sync(0, 1)
        try world.save(0, SyncWorld.ids[1], title("never seen by anybody"))
        let copy = world.addDevice()
        FolderImage(of: world.devices[0].folder).put(into: copy.folder, .replaced)
        copy.holdings = world.devices[0].holdings
        #expect(try world.open(3))
        try world.save(3, Self.id, title("by the copy"))
        try world.save(0, Self.id, title("by the original"))
        try world.sync(3, 2)
        try world.heal()
        for deviceIndex in 0...3 {
            let stored = try #require(try world.store(deviceIndex).record(Self.id))
            #expect(
                Set(stored.record.survivors(of: .number(2)).map(\.value))
                    == [.text("by the copy"), .text("by the original")])
            #expect(try world.store(deviceIndex).record(SyncWorld.ids[1]) != nil)
        }
    }

    @Test("yesterday's copy over today's store: what others got comes back, nothing is doubled")
    func restored() throws {
        let world = try world(3)
        let image = FolderImage(of: world.devices[0].folder)
        try world.save(0, Self.id, title("today"))
        try world.save(0, SyncWorld.ids[1], title("made today"))
        try world.sync(0, 1)
        try setBack(world, 0, to: image)
        try world.save(0, Self.id, title("after the restore"))
        try world.sync(0, 2)
        try world.heal()
        for deviceIndex in 0...2 {
            let stored = try #require(try world.store(deviceIndex).record(Self.id))
            #expect(
                Set(stored.record.survivors(of: .number(2)).map(\.value))
                    == [.text("today"), .text("after the restore")])
            #expect(
                try world.store(deviceIndex).record(SyncWorld.ids[1])?[2] == .text("made today"))
        }
    }

    @Test("a device that calls itself is told so, and keeps its id; also while it writes")
    func calledItself() throws {
        for writes in [false, true] {
            let world = try world(1)
            // An opening that has only read speaks in the last one until it writes.
            world.devices[0].close()
            try world.open(0)
            let replica = try world.store(0).summary().replica
            let index = try world.connect(0, 0)
            if writes { try world.save(0, Self.id, title("meanwhile")) }
            try world.settle()
            for end in world.links[index].ends {
                guard case .failed(let error, .both)? = end.end else {
                    Issue.record("ended with \(String(describing: end.end))")
                    continue
                }
                #expect(error.known == .sameReplica)
                #expect(!error.advice.isEmpty)
            }
            #expect(try world.store(0).summary().replica == replica)
            #expect(try world.store(0).suspicion == nil)
        }
    }

    @Test("a device that calls another process on its own store is told so, and keeps its id")
    func calledItsOtherProcess() throws {
        let world = try world(1)
        let other = SyncDevice(
            "other", folder: world.devices[0].folder, environment: world.devices[0].environment)
        try other.open()
        world.devices.append(other)
        let replica = try world.store(0).summary().replica
        world.allowsForks = true
        let index = try world.connect(0, 1)
        try world.settle()
        for end in world.links[index].ends {
            guard case .failed(let error, _)? = end.end else { continue }
            #expect(error.known == .sameReplica)
        }
        #expect(try world.store(0).summary().replica == replica)
        #expect(try world.store(1).summary().replica == replica)
        other.close()
    }

    @Test("openings without a write between them are told apart: no doubt where there is no fork")
    func emptyIncarnations() throws {
        let world = try world(3)
        // Opened for writing, named to a peer, but nothing written by itself: only merged.
        for round in 0..<3 {
            try world.save(1, Self.id, title("by 1, \(round)"))
            try world.sync(1, 0)
            try world.sync(0, 2)
            world.devices[0].close()
            #expect(try !world.open(0))
        }
        try world.save(0, Self.id, title("by 0"))
        try world.sync(0, 1)
        try world.sync(1, 2)
        try world.heal()
        #expect(try world.store(0).suspicion == nil)
    }

    @Test("a copy tells others no older opening of its original than it had itself")
    func copyTellsIncarnations() throws {
        let world = try world(2)
        world.devices[0].close()
        try world.open(0)
        try world.save(0, Self.id, title("in the second opening"))
        let copy = world.addDevice()
        FolderImage(of: world.devices[0].folder).put(into: copy.folder, .replaced)
        #expect(try world.open(2))
        // The other device knows the first opening only.
        try world.sync(1, 2)
        try world.sync(2, 0)
        try world.heal()
        #expect(try world.store(0).suspicion == nil)
    }
}
