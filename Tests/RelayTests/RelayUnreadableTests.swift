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

    @Test("a version that is damaged after a false word on it is told of again")
    func damagedLater() throws {
        let world = RelayWorld()
        let good = Desk.change(5, 1, 1)
        var store = try world.store()
        func note(_ change: Change) throws -> [RelayNoteOutcome] {
            try store.transact { () throws(StoreFault) in
                try store.noteUnreadable([VersionMark(of: change)], limits: RelayLimits())
            }
        }
        try store.transact { () throws(StoreFault) in
            _ = try store.put(good, limits: RelayLimits())
        }
        #expect(try note(good) == [.noted(2)])
        #expect(try note(good) == [.known])
        store.close()
        let file = try Connection(
            path: SQLiteRelaySpace.path(of: RelayWorld.space, in: world.folder),
            on: world.environment.disk, creates: false, busyMilliseconds: 0)
        try file.execute("UPDATE version SET body = x'00ff00'")
        file.close()
        store = try world.store()
        let bad = Change(good.name, clock: good.clock, body: [0, 0xff, 0])
        #expect(try note(bad) == [.noted(3)])
        #expect(try note(good) == [.absent])
        #expect(try note(bad) == [.known])
        #expect(try store.read(RelayReadRequest(start: 2)).unreadable == [VersionMark(of: bad)])
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

    @Test("a search for damaged versions ends at the limit of bytes, and goes on the next time")
    func searched() throws {
        let world = RelayWorld()
        let changes = (1...5).map { Desk.change(5, UInt128($0), 7, 1000) }
        let marks = changes.map {
            VersionMark(
                of: Change($0.name, clock: $0.clock, body: [UInt8](repeating: 0, count: 1000)))
        }
        let store = try damaged(world, changes)
        var limits = RelayLimits()
        limits.unreadableSearchByteCountMax = 2 * 1000
        var (noted, rounds): (Set<VersionMark>, Int) = ([], 0)
        while noted.count < marks.count, rounds < 5 {
            rounds += 1
            let open = marks.filter { !noted.contains($0) }.sorted()
            let outcomes = try store.transact { () throws(StoreFault) in
                try store.noteUnreadable(open, limits: limits)
            }
            let found = zip(open, outcomes).filter { $0.1 != .undecided }.map(\.0)
            #expect((1...2).contains(found.count), "no more is read than the limit allows")
            noted.formUnion(found)
        }
        #expect(noted == Set(marks))
        // Under the marks that they have now they are found without a search.
        limits.unreadableSearchByteCountMax = 0
        let again = try store.transact { () throws(StoreFault) in
            try store.noteUnreadable(marks.sorted(), limits: limits)
        }
        #expect(again == [RelayNoteOutcome](repeating: .known, count: marks.count))
    }

    @Test("marks of many records that no version came with cost one limit of bytes together")
    func manyRecords() throws {
        let store = try RelayWorld().store()
        let changes = (1...20).map { Desk.change(UInt128($0), 1, UInt64($0), 1000) }
        try store.transact { () throws(StoreFault) in
            for change in changes { _ = try store.put(change, limits: RelayLimits()) }
        }
        var limits = RelayLimits()
        limits.unreadableSearchByteCountMax = 4 * 1000
        let forged = changes.map { VersionMark(id: $0.name.id, hash: 1) }
        let outcomes = try store.transact { () throws(StoreFault) in
            try store.noteUnreadable(forged, limits: limits)
        }
        #expect(outcomes.prefix(3).allSatisfy { $0 == .absent })
        #expect(outcomes.dropFirst(4).allSatisfy { $0 == .undecided })
        #expect(outcomes.count == 20)
    }

    @Test("a mark that is not decided is not answered, and acknowledged")
    func undecided() throws {
        let desk = try RelayDesk { $0.limits.unreadableSearchByteCountMax = 0 }
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        let change = Desk.change(5, 1, 1)
        desk.say(alice, Desk.batch([change], through: 1))
        desk.commit()
        for id in [alice, bob] { _ = desk.heard(by: id) }
        desk.say(bob, Self.unreadable(Desk.change(5, 1, 9)))
        desk.commit()
        #expect(desk.heard(by: bob).kinds == [3])
        desk.say(bob, Self.unreadable(change))
        desk.commit()
        #expect(desk.heard(by: bob).kinds == [24, 23, 3])
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
