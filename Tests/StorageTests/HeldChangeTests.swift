import Core
import Storage
import TestSupport
import Testing

@Suite("Deletes that are set aside")
struct HeldChangeTests {
    private let world = StoreWorld()
    private let here: Store
    private let thief: Store
    private let phone: Store
    private let ids: [RecordID]
    /// The store of a relay that is read for the last time.
    private let relay = ReplicaID(value: 77)

    /// Three stores in sync with forty to-dos; the thief deletes all, and the phone adds five.
    init() throws {
        (here, thief, phone) = (
            try world.create("here"), try world.create("thief"), try world.create("phone")
        )
        let here = here
        ids = try (0..<40).map { try StoreWorld.add("t\($0)", to: here) }
        try StoreWorld.mingle([here, thief, phone])
        try MassDeleteGuardTests.delete(ids, in: thief)
        for number in 0..<5 { try StoreWorld.add("p\(number)", to: phone) }
    }

    private func changes(_ store: Store) throws -> [Change] {
        try store.read(
            from: .sequence(0),
            peerHas: PeerHoldings(try here.greeting(to: nil).stateSummary.knowledge)
        ).changes
    }

    /// Reads what the relay has: first the thief's deletes, then what the phone has written.
    private func read(_ batches: [[Change]]) throws -> [Integration] {
        try batches.enumerated().map { number, batch in
            try here.integrate(
                batch, from: relay, checkpoint: nil, startsSession: number == 0,
                mergesUnheld: true)
        }
    }

    @Test("all else is merged, also behind them, and they are kept, counted and held")
    func rest() throws {
        let stolen = try changes(thief)
        let found = try read([Array(stolen.prefix(30)), try changes(phone), stolen])
        #expect(found.map(\.hasMergedUnheld) == [true, true, true])
        #expect(try MassDeleteGuardTests.count(here) == 45)
        #expect(try here.heldDeletes().map(\.deletedCount) == [40])
        let examples = try here.heldDeletes().flatMap(\.examples).map(\.id)
        #expect(examples.count == 3 && Set(ids).isSuperset(of: examples))
        #expect(try here.heldDeletes().map(\.deleters) == [[thief.replica]])
        #expect(try here.examine() == [])
        // Others are not asked: whoever reads this store gets none of the deletes, and misses nothing.
        #expect(try MassDeleteGuardTests.pull(phone, from: here, batch: 100) == nil)
        #expect(try MassDeleteGuardTests.count(phone) == 45)
        #expect(try phone.summary().peers.allSatisfy { !$0.isSuspect })
    }

    @Test("an answer merges them at once: accepted they delete, refused they are undone")
    func answered() throws {
        _ = try read([try changes(thief), try changes(phone)])
        try here.refuseDeletes()
        try here.bringBackRefused()
        #expect(try here.heldDeletes().isEmpty)
        #expect(try MassDeleteGuardTests.count(here) == 45)
        #expect(here.broughtBackCount == 40)

        _ = try phone.integrate(
            try thief.read(from: .sequence(0), peerHas: PeerHoldings()).changes, from: relay,
            checkpoint: nil, mergesUnheld: true)
        #expect(try phone.acceptDeletes() == 1)
        #expect(try phone.heldDeletes().isEmpty)
        #expect(try MassDeleteGuardTests.count(phone) == 5)
        try StoreWorld.mingle([here, phone])
        #expect(try MassDeleteGuardTests.count(phone) == 45)
        try StoreWorld.expectEqual([here, phone])
    }

    @Test("they wait over a restart, and are held again where the hold was forgotten")
    func reopened() throws {
        _ = try read([try changes(thief)])
        here.close()
        world.run("sqlite3", world.path("here/store.db"), "delete from mass_delete_count")
        let again = try world.open("here")
        #expect(try MassDeleteGuardTests.count(again) == 40)
        #expect(try again.heldDeletes().map(\.deletedCount) == [40])
        #expect(try again.acceptDeletes() == 1)
        #expect(try MassDeleteGuardTests.count(again) == 0)
        #expect(try again.examine() == [])
    }

    @Test("deletes that come another way, and are accepted there, wait no longer")
    func anotherWay() throws {
        _ = try read([try changes(thief)])
        #expect(try MassDeleteGuardTests.pull(here, from: thief, batch: 100) != nil)
        try here.acceptDeletes(of: [thief.replica])
        #expect(try MassDeleteGuardTests.pull(here, from: thief, batch: 100) == nil)
        #expect(try here.heldDeletes().isEmpty)
        #expect(try MassDeleteGuardTests.count(here) == 0)
        #expect(try here.examine() == [])
    }

    @Test("accepted they use the answer up: as many later ones of that peer are held")
    func answerUsedUp() throws {
        let later = try (0..<30).map { try StoreWorld.add("l\($0)", to: phone) }
        _ = try read([try changes(phone), try changes(thief)])
        #expect(try here.acceptDeletes(of: [relay]) == 1)
        #expect(try MassDeleteGuardTests.count(here) == 35)
        try MassDeleteGuardTests.delete(later, in: phone)
        let found = try here.integrate(
            try changes(phone), from: relay, checkpoint: nil, startsSession: true)
        #expect(found.held?.deletedCount == 30)
        #expect(try MassDeleteGuardTests.count(here) == 35)
    }

    @Test("they stay held when the relay has no more, and however long nobody answers")
    func heldLong() throws {
        _ = try read([try changes(thief)])
        let checkpoint = Checkpoint(epoch: EpochID(value: 9), sequence: 7)
        _ = try here.join(SummaryRowsRequest(relay: relay, through: checkpoint, rows: []))
        #expect(try here.heldDeletes().map(\.deletedCount) == [40])
        world.now += 31 * 86_400_000
        try StoreWorld.pull(here, from: phone)
        #expect(try here.heldDeletes().map(\.deletedCount) == [40])
    }

    @Test("a store that enters another space forgets them")
    func anotherSpace() throws {
        _ = try read([try changes(thief)])
        here.close()
        let again = try world.open("here")
        try again.enter(space: SpaceID(value: 8), policy: .deletesWin)
        again.close()
        let entered = try world.open("here")
        #expect(try entered.heldDeletes().isEmpty)
        #expect(try MassDeleteGuardTests.count(entered) == 40)
    }

    @Test("two of one clock with different contents are both kept, and merged as a repair does")
    func twoOfOneClock() throws {
        let name = RecordName(StoreWorld.todo, ids[0])
        let all = try thief.read(from: .sequence(0), peerHas: PeerHoldings()).changes
        let change = try #require(all.first { $0.name == name })
        var other = try change.record()
        let index = try #require(
            other.writes.firstIndex { $0.dot.replica == thief.replica })
        other.writes[index] = Write(
            dot: other.writes[index].dot, timestamp: other.writes[index].timestamp,
            assignments: other.writes[index].assignments
                + [Assignment(.purged, .bool(true))])
        let twin = Change(
            name, clock: change.clock, body: BodyCodec.encode(other, in: name.collection))
        let rest = try changes(thief).filter { $0.name != name }
        _ = try read([rest + [change], [twin]])
        #expect(try here.heldDeletes().map(\.deletedCount) == [40])
        try here.acceptDeletes()
        #expect(try here.allDeferred().isEmpty)
        #expect(try here.record(name)?.verdict.isPurged == true)
        #expect(try here.examine() == [])
    }

    @Test("a damaged store that is rescued holds them again, from the peer that they came from")
    func rescued() throws {
        _ = try read([try changes(thief)])
        here.close()
        let pages = world.pages(of: "todo_record", "leaf", in: "here/store.db")
        world.flip(page: try #require(pages.last), of: "here/store.db")
        let report = try world.rescue("here", space: SpaceID(value: 7))
        #expect(!report.isWhole)
        let again = try world.open("here")
        let held = try again.heldDeletes()
        #expect(held.map(\.peer) == [relay] && held.map(\.deletedCount) == [40])
        try again.acceptDeletes()
        #expect(try MassDeleteGuardTests.count(again) == 0)
        #expect(try again.examine() == [])
    }
}
