import Core
import Replica
import Session
import Storage
import TestSupport
import Testing

@Suite("Versions that a relay has lost, and false statements")
struct LostVersionTests {
    private let day: Int64 = 86_400_000
    private let relay = NaiveRelay()
    private let seal = MarkSeal(secret: 5)

    private func title(_ text: String) -> [Assignment] { [Assignment(.number(2), .text(text))] }

    /// Devices with the same 60 records, which all have visited the relay.
    private func world(_ count: Int, seed: UInt64 = 1) throws -> SyncWorld {
        let world = SyncWorld(seed: seed)
        for _ in 0..<count { try world.makeDevice() }
        for number in 0..<60 {
            let id = Store.derivedID(SyncWorld.todo, key: "\(number)")
            try world.save(0, id, title("a title that is long enough to be seen, \(number)"))
        }
        for _ in 0..<3 { for device in 0..<count { try world.visit(device, relay, seal: seal) } }
        return world
    }

    private func visit(_ device: Int, _ world: SyncWorld) throws -> SyncWorld.VisitResult {
        let result = try world.visit(device, relay, seal: seal)
        #expect(result.end == .finished)
        return result
    }

    private func expectEqual(_ world: SyncWorld) throws {
        let first = try world.store(0).summary()
        for device in world.devices.indices.dropFirst() {
            let other = try world.store(device).summary()
            #expect(other.digest == first.digest, "device \(device)")
            #expect(other.knowledge == first.knowledge, "device \(device)")
        }
    }

    /// A row by one device about another's replica that claims writes which nobody made.
    private func stateFalsely(by speaker: Int, about author: Int, _ world: SyncWorld) throws {
        let (speaker, author) = (try world.store(speaker).replica, try world.store(author).replica)
        let known = try world.store(0).stateSummary().entry(of: author)
        let counter = (known?.seen ?? 0) + 1000
        let boast = SummaryRowContent.entry(
            StateSummaryEntry(replica: author, counter: counter, checksum: 1, seen: counter), nil)
        let key = SummaryRow.Key(speaker, about: author)
        relay.state(
            SummaryRow(key, number: 99, bytes: seal.seal(boast.bytes, ofRow: key, numbered: 99)))
    }

    @Test("a version that a relay has lost is uploaded again by the device that has it")
    func heals() throws {
        let world = try world(2)
        let id = SyncWorld.ids[0]
        try world.save(0, id, title("precious"))
        _ = try visit(0, world)
        relay.loseLastVersion()
        let first = try visit(1, world)
        #expect(first.report.isIncomplete && !first.report.isWithheld)
        let second = try visit(1, world)
        #expect(second.report.isWithheld && !second.report.isIncomplete)
        let known = try world.store(1).missingChanges()
        let author = try world.store(0).replica
        #expect(known.map(\.speaker) == [author] && known.map(\.author) == [author])
        #expect(known.map(\.isAlone) == [false], "an author is no stranger to its own writes")
        let quiet = try visit(1, world)
        #expect(quiet.report.isWithheld, "it is still missing")
        #expect(quiet.byteCount < 1000, "\(quiet.byteCount) bytes")

        let before = relay.receivedCount
        _ = try visit(0, world)
        #expect(relay.receivedCount == before + 1, "what was not asked for stays at home")
        let healed = try visit(1, world)
        #expect(!healed.report.lacksSomething && healed.byteCount < 2000)
        #expect(try world.store(1).record(id)?[2] == .text("precious"))
        #expect(try world.store(1).missingChanges() == [])
        for device in [0, 1] {
            #expect(try visit(device, world).byteCount < 2000)
            #expect(try world.store(device).summary().peers.allSatisfy { !$0.isSuspect })
        }
        try expectEqual(world)
        let (received, sent) = (relay.receivedCount, relay.sentCount)
        for device in [0, 1, 0, 1] { #expect(try !visit(device, world).report.lacksSomething) }
        #expect(relay.receivedCount == received && relay.sentCount == sent)
    }

    @Test(
        "a cut in the upload leaves what is to be uploaded again to the next visit",
        arguments: 1...6)
    func cut(_ cut: Int) throws {
        let world = try world(2)
        try world.save(0, SyncWorld.ids[0], title("precious"))
        _ = try visit(0, world)
        relay.loseLastVersion()
        for _ in 0..<2 { _ = try visit(1, world) }
        _ = try world.visit(0, relay, seal: seal, cutAfter: cut)
        _ = try visit(0, world)
        #expect(try !visit(1, world).report.lacksSomething)
        #expect(try world.store(1).record(SyncWorld.ids[0])?[2] == .text("precious"))
        try expectEqual(world)
    }

    @Test("of a device that has none of an author's writes the request names no counter")
    func allLost() throws {
        let world = try world(2)
        let late = try world.makeDevice()
        try world.save(late, SyncWorld.ids[1], title("the only one"))
        _ = try visit(late, world)
        relay.loseLastVersion()
        for _ in 0..<2 { _ = try visit(1, world) }
        _ = try visit(late, world)
        #expect(try !visit(1, world).report.lacksSomething)
        #expect(try world.store(1).record(SyncWorld.ids[1])?[2] == .text("the only one"))
    }

    @Test("a relay that withholds is read from its start seldom, and asked for less")
    func withheldForEver() throws {
        let world = try world(2)
        try world.save(0, SyncWorld.ids[0], title("precious"))
        _ = try visit(0, world)
        relay.hideLastVersion()
        for _ in 0..<2 { _ = try visit(1, world) }
        var uploads = 0
        // A device visits each hour for three days.
        for _ in 0..<72 {
            for device in [0, 1] { world.devices[device].wallOffset += day / 24 }
            #expect(try visit(1, world).report.isWithheld)
            let before = relay.receivedCount
            _ = try visit(0, world)
            if relay.receivedCount > before { uploads += 1 }
        }
        #expect((1...4).contains(uploads), "\(uploads)")
        relay.hideNothing()
        world.devices[1].wallOffset += day
        for _ in 0..<3 { _ = try visit(1, world) }
        #expect(try !visit(1, world).report.lacksSomething)
        #expect(try world.store(1).record(SyncWorld.ids[0])?[2] == .text("precious"))
        try expectEqual(world)
    }

    @Test("a member's false row costs one reading from the start, and is told by its name")
    func falseRow() throws {
        let world = try world(4)
        // The author of the writes is away; the one who states them falsely does not come again.
        let (speaker, author) = (2, 3)
        try world.save(author, SyncWorld.ids[2], title("old"))
        for device in [author, 0, 1, speaker, author, 0, 1] { _ = try visit(device, world) }
        try stateFalsely(by: speaker, about: author, world)
        for device in [0, 1] {
            _ = try visit(device, world)
            #expect(try visit(device, world).report.isWithheld)
        }
        for _ in 0..<5 {
            for device in [0, 1] {
                let quiet = try visit(device, world)
                #expect(quiet.report.isWithheld && quiet.byteCount < 1000, "\(quiet.byteCount)")
                let told = try world.store(device).missingChanges()
                #expect(told.count == 1 && told.first?.isAlone == true)
                #expect(told.first?.speaker == (try world.store(speaker).replica))
                #expect(told.first?.author == (try world.store(author).replica))
            }
        }
        // An edit of the others goes its way.
        try world.save(0, SyncWorld.ids[3], title("new"))
        _ = try visit(0, world)
        let edit = try visit(1, world)
        #expect(edit.byteCount < 3000 && edit.report.isWithheld, "\(edit.byteCount)")
        #expect(try world.store(1).record(SyncWorld.ids[3])?[2] == .text("new"))
        // The device in whose name it was stated finds its row there, and states what it has.
        for _ in 0..<2 { _ = try visit(speaker, world) }
        for device in [0, 1] {
            #expect(try !visit(device, world).report.lacksSomething)
            #expect(try world.store(device).missingChanges() == [])
        }
    }

    @Test("a request that comes again, as from a relay that repeats it, is answered once")
    func repeatedRequest() throws {
        let world = try world(2)
        try world.save(0, SyncWorld.ids[0], title("precious"))
        _ = try visit(0, world)
        relay.loseLastVersion()
        for _ in 0..<2 { _ = try visit(1, world) }
        _ = try visit(0, world)
        let before = relay.receivedCount
        for _ in 0..<4 {
            // All rows come anew.
            let store = try world.store(0)
            try store.dropCheckpoints(of: try #require(try store.replica(at: "relay")))
            _ = try visit(0, world)
        }
        #expect(relay.receivedCount == before)
    }
}
