import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("One id in two collections, over the wire")
struct TwoCollectionsTests {
    private static let id = Store.derivedID(SyncWorld.todo, key: "shared")
    private static let names = [
        RecordName(SyncWorld.todo, id), RecordName(SyncWorld.newer, id),
    ]

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    /// Two devices that made the same id in two collections, each one of them.
    private func world() throws -> SyncWorld {
        let world = SyncWorld(seed: 1)
        for _ in 0...1 { try world.makeDevice() }
        try world.save(0, Self.id, title("milk"))
        try world.save(1, Self.id, title("frother"), in: SyncWorld.newer)
        return world
    }

    /// Edits each record on the other device, deletes the to-do, and looks at both devices after `meet`.
    private func live(_ world: SyncWorld, _ meet: () throws -> Void) throws {
        try meet()
        try world.save(0, Self.id, title("steamer"), in: SyncWorld.newer)
        try world.delete(1, Self.id)
        try meet()
        for deviceIndex in 0...1 {
            let store = try world.store(deviceIndex)
            let (todo, newer) = (try store.record(Self.names[0]), try store.record(Self.names[1]))
            #expect(todo?.verdict.isDeleted == true)
            #expect(newer?.verdict.isDeleted == false)
            #expect(newer?[2] == .text("steamer"))
            #expect(try store.allDeferred().isEmpty)
            #expect(try store.examine() == [])
            #expect(try store.summary().digest == world.store(0).summary().digest)
        }
    }

    @Test("are two records in a session between devices")
    func directly() throws {
        let world = try world()
        try live(world) {
            let link = try world.sync(0, 1)
            #expect(link.ends.allSatisfy { $0.end == .finished })
        }
    }

    @Test("are two records at a relay, with encryption and without", arguments: [true, false])
    func relayed(isSealed: Bool) throws {
        let world = try world()
        let (relay, seal) = (NaiveRelay(), isSealed ? MarkSeal(secret: 5) : nil)
        try live(world) {
            for deviceIndex in [0, 1, 0, 1] {
                let result = try world.visit(deviceIndex, relay, seal: seal)
                #expect(result.report.unreadableCount == 0)
            }
        }
    }

    @Test("a version whose content gives another name than its relay name is no device's")
    func renamed() throws {
        let clock = VersionVector(Dot(replica: ReplicaID(value: 9), counter: 1))
        let changes = Self.names.map { Change($0, clock: clock, body: [0x81, 0x01]) }
        for seal in [MarkSeal(secret: 5), nil] {
            let versions = try changes.map { try RelayVersion.of($0, with: seal) }
            for (version, change) in zip(versions, changes) {
                #expect(version.name.collection == .relayed)
                #expect(RelayVersion.change(in: version, opening: seal) == change)
                #expect(version.name != versions.first { $0 != version }?.name)
                // What a relay, or another device, puts under the other name.
                let content = change.name.bytes + change.body
                let other = try #require(versions.first { $0 != version }).name
                let body = seal?.seal(content, of: other, clock: clock) ?? content
                let moved = Change(other, clock: clock, body: body)
                #expect(RelayVersion.change(in: moved, opening: seal) == nil)
                let cut = Change(version.name, clock: clock, body: Array(version.body.prefix(15)))
                #expect(RelayVersion.change(in: cut, opening: seal) == nil)
            }
        }
    }
}
