import Core
import Relay
import Session
import Storage
import Testing

@Suite("Versions at a relay that a device could not open")
struct RelayUnreadableTests {
    private typealias Desk = RelayDesk

    private static func unreadable(_ changes: Change...) -> Message {
        .unreadable(UnreadableVersions(changes.map { VersionMark(of: $0) }))
    }

    private static func said(_ messages: [Message]) -> [UnreadableVersions] {
        messages.compactMap { if case .unreadable(let versions) = $0 { versions } else { nil } }
    }

    @Test(
        "a device hears which versions the relay has before they are acknowledged; the others hear of these before the batch that reaches them",
        arguments: RelayStoreKind.allCases)
    func told(kind: RelayStoreKind) throws {
        let desk = try RelayDesk(RelayWorld(kind))
        let (alice, bob, carol) = (desk.relayHello(1), desk.relayHello(2), desk.relayHello(3))
        let relay = try #require(desk.heard(by: alice).relayHelloReply?.relay)
        let all = [Desk.change(5, 1, 1), Desk.change(6, 1, 2)]
        desk.say(alice, Desk.batch(all, through: 2), Desk.uploadDone(2, [7]))
        desk.commit()
        let through = try #require(desk.heard(by: carol).downloadDone?.through)
        desk.run(carol, .lost)
        for id in [alice, bob] { _ = desk.heard(by: id) }
        desk.say(bob, Self.unreadable(all[0], Desk.change(9, 1, 3)))
        #expect(desk.heard(by: bob).isEmpty, "nothing is said before it is on the disk")
        desk.commit()
        let answer = desk.heard(by: bob)
        #expect(answer.kinds == [24, 23, 3] && answer.acknowledged == 1)
        #expect(
            Self.said(answer) == [
                UnreadableVersions(
                    [VersionMark(of: all[0])], unknown: [VersionMark(of: Desk.change(9, 1, 3))])
            ])
        let heard = desk.heard(by: alice)
        #expect(heard.kinds == [24, 2, 23])
        #expect(Self.said(heard) == [UnreadableVersions([VersionMark(of: all[0])])])
        // Who was away hears of it once, behind its checkpoint.
        let again = desk.relayHello(
            3, read: RelayHello.Bookmark(relay: relay, checkpoint: through))
        let missed = desk.heard(by: again)
        #expect(Self.said(missed) == [UnreadableVersions([VersionMark(of: all[0])])])
        #expect(missed.kinds == [21, 24, 2, 23])
        let reached = try #require(missed.downloadDone?.through)
        desk.run(again, .lost)
        let last = desk.relayHello(
            3, read: RelayHello.Bookmark(relay: relay, checkpoint: reached))
        #expect(desk.heard(by: last).kinds == [21, 23])
    }

    @Test("a second device that says the same is answered, and nobody else hears of it")
    func once() throws {
        let desk = try RelayDesk()
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        let change = Desk.change(5, 1, 1)
        desk.say(alice, Desk.batch([change], through: 1))
        desk.say(bob, Self.unreadable(change))
        desk.commit()
        for id in [alice, bob] { _ = desk.heard(by: id) }
        desk.say(alice, Self.unreadable(change))
        desk.commit()
        #expect(desk.heard(by: alice).kinds == [24, 3])
        #expect(desk.heard(by: bob).isEmpty)
    }

    /// Makes the bodies of a closed relay's versions others.
    private static func damage(_ world: RelayWorld) throws {
        let file = try Connection(
            path: SQLiteRelaySpace.path(of: RelayWorld.space, in: world.folder),
            on: world.environment.disk, creates: false, busyMilliseconds: 0)
        try file.execute("UPDATE version SET body = x'00ff00'")
        file.close()
    }

    @Test("a version that came again and was damaged in the same way is told of again")
    func damagedAlike() throws {
        let world = RelayWorld()
        let good = Desk.change(5, 1, 2)
        let bad = Change(good.name, clock: good.clock, body: [0, 0xff, 0])
        var numbers: Set<UInt64> = []
        for _ in 0..<2 {
            var store = try world.store()
            try store.transact { () throws(StoreFault) in
                _ = try store.put(good, limits: RelayLimits())
            }
            store.close()
            try Self.damage(world)
            store = try world.store()
            let sent = try store.read(RelayReadRequest(start: 0))
            #expect(sent.changes.contains(bad))
            func note() throws -> [RelayNoteOutcome] {
                try store.transact { () throws(StoreFault) in
                    try store.noteUnreadable([VersionMark(of: bad)])
                }
            }
            guard case .noted(let number)? = try note().first else {
                Issue.record("it is not noted")
                return
            }
            numbers.insert(number)
            #expect(try note() == [.known])
            store.close()
        }
        #expect(numbers.count == 2)
    }

    @Test("a version that is damaged after a false word on it is told of again")
    func damagedLater() throws {
        let world = RelayWorld()
        let good = Desk.change(5, 1, 2)
        var store = try world.store()
        func note(_ change: Change) throws -> [RelayNoteOutcome] {
            try store.transact { () throws(StoreFault) in
                try store.noteUnreadable([VersionMark(of: change)])
            }
        }
        try store.transact { () throws(StoreFault) in
            _ = try store.put(good, limits: RelayLimits())
        }
        #expect(try note(good) == [.noted(2)])
        #expect(try note(good) == [.known])
        store.close()
        try Self.damage(world)
        store = try world.store()
        let bad = Change(good.name, clock: good.clock, body: [0, 0xff, 0])
        // A device that is sent it names it by its new mark. Nobody was told of that yet, and it still takes no other's place.
        let sent = try store.read(RelayReadRequest(start: 0))
        #expect(sent.changes == [bad] && sent.unreadable.isEmpty)
        let older = Change(good.name, clock: RelayStoreTests.clock(1), body: [7])
        #expect(good.clock.covers(older.clock))
        try store.transact { () throws(StoreFault) in
            let outcome = try store.put(older, limits: RelayLimits())
            #expect(outcome != .covered)
        }
        #expect(try note(bad) == [.noted(4)])
        #expect(try note(good) == [.absent])
        #expect(try note(bad) == [.known])
        #expect(try store.read(RelayReadRequest(start: 3)).unreadable == [VersionMark(of: bad)])
        #expect(try store.examine() == [])
    }

    /// A store with versions of one record, all of which came with other marks than they have now.
    private func damaged(_ world: RelayWorld, _ changes: [Change]) throws -> SQLiteRelaySpace {
        let store = try world.store()
        try store.transact { () throws(StoreFault) in
            for change in changes { _ = try store.put(change, limits: RelayLimits()) }
        }
        store.close()
        let file = try Connection(
            path: SQLiteRelaySpace.path(of: RelayWorld.space, in: world.folder),
            on: world.environment.disk, creates: false, busyMilliseconds: 0)
        try file.execute("UPDATE version SET body = zeroblob(length(body))")
        file.close()
        return try world.store()
    }

    @Test(
        "of a mark it is said at once whether a version has it, however long the versions of its record are"
    )
    func settledAtOnce() throws {
        let world = RelayWorld()
        let byteCount = 150_000
        let changes = (1...10).map { Desk.change(5, UInt128($0), 7, byteCount) }
        let marks = changes.map {
            VersionMark(
                of: Change(
                    $0.name, clock: $0.clock, body: [UInt8](repeating: 0, count: byteCount)))
        }
        let store = try damaged(world, changes)
        // A device is sent them, and so names the marks that they have now.
        var (start, sentCount) = (UInt64(0), 0)
        while sentCount < changes.count {
            let reading = try store.read(RelayReadRequest(start: start))
            (start, sentCount) = (reading.through, sentCount + reading.changes.count)
        }
        let others = [VersionMark(of: changes[3]), VersionMark(id: changes[0].name.id, hash: 1)]
        let outcomes = try store.transact { () throws(StoreFault) in
            try store.noteUnreadable(marks + others)
        }
        #expect(outcomes == (11...20).map { .noted($0) } + [.absent, .absent])
        #expect(try store.read(RelayReadRequest(start: 10)).unreadable == marks)
        #expect(try store.examine() == [])
    }

    @Test("a device that says more than the window allows is refused")
    func window() throws {
        let desk = try RelayDesk()
        let alice = desk.relayHello(1)
        for _ in 0...WireLimits.windowBatchCount {
            desk.say(alice, Self.unreadable(Desk.change(5, 1, 1)))
        }
        #expect(desk.error(alice)?.known == .overLimit)
    }
}
