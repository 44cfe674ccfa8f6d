import Core
import Relay
import RelayTestSupport
import Session
import Storage
import Testing

@Suite("A relay whose store answers late: uploads and readings")
struct RelayLateAnswerTests {
    private typealias Desk = RelayDesk
    private static let other = SpaceID(value: 8)

    /// Two live devices that have read all.
    private static func two(
        _ change: (inout RelayOptions) -> Void = { _ in }
    ) -> (RelayDesk, LateRelayStore, RelayServerSessionID, RelayServerSessionID) {
        let (desk, store) = RelayDesk.late(change)
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        desk.answerAll(store)
        #expect(desk.heard(by: alice).kinds == [21, 23])
        #expect(desk.heard(by: bob).kinds == [21, 23])
        return (desk, store, alice, bob)
    }

    @Test("an upload is acknowledged when the store has it, and pings are answered until then")
    func heartbeat() {
        let (desk, store, alice, bob) = Self.two()
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.say(alice, .ping(1))
        desk.say(bob, .ping(1))
        #expect(desk.heard(by: alice).kinds == [8])
        #expect(desk.heard(by: bob).kinds == [8])
        desk.pass(milliseconds: 10_000)
        #expect(desk.heard(by: bob).kinds == [7])
        desk.answer(store, .commit)
        desk.answerAll(store)
        #expect(desk.heard(by: alice).acknowledged == 1)
        #expect(desk.changes(bob) == [Desk.change(5, 1, 1)])
    }

    @Test("the driver is told once of answers that wait, and not of those inside of a call")
    func told() {
        let (desk, store, alice, _) = Self.two()
        var count = 0
        desk.node.onAnswer = { count += 1 }
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        #expect(count == 0 && !desk.node.hasAnswers)
        for call in store.calls { store.answer(call) }
        #expect(count == 1 && desk.node.hasAnswers)
        desk.takeAnswers()
        #expect(!desk.node.hasAnswers)
        desk.answerAll(store)
        count = 0
        store.isPrompt = true
        desk.say(alice, Desk.batch([Desk.change(6, 1, 2)], through: 2))
        desk.commit()
        #expect(count == 0 && desk.heard(by: alice).acknowledged == 2)
    }

    @Test("a commit is measured from its beginning to its answer")
    func measured() {
        let (desk, store, alice, _) = Self.two()
        var (now, lengths): (Int64, [Int]) = (5, [])
        desk.node.stages = RelayStageClock(now: { now }) { stage, length in
            if stage == .commit { lengths.append(length) }
        }
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        now = 7
        desk.commit()
        now = 20
        desk.say(alice, .ping(1))
        #expect(lengths == [])
        desk.answer(store, .commit)
        #expect(lengths == [13])
    }

    @Test("of one space one commit is under way, which the next waits for; other spaces go on")
    func oneCommit() {
        let (desk, store, alice, bob) = Self.two()
        let carol = desk.relayHello(3, space: Self.other)
        desk.answerAll(store)
        _ = desk.heard(by: carol)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.say(alice, Desk.batch([Desk.change(6, 1, 2)], through: 2))
        desk.say(bob, Desk.batch([Desk.change(7, 2, 1)], through: 1))
        #expect(!desk.node.hasWaiting, "else the driver would turn without end")
        desk.commit()
        desk.say(carol, Desk.batch([Desk.change(8, 3, 1)], through: 1))
        desk.commit()
        #expect(store.calls(.commit).map(\.space) == [RelayWorld.space, Self.other])
        if let last = store.calls(.commit).last { store.answer(last) }
        desk.takeAnswers()
        desk.answer(store, .read)
        #expect(desk.heard(by: carol).acknowledged == 1)
        desk.answer(store, .commit)
        #expect(desk.node.hasWaiting)
        desk.commit()
        #expect(store.calls(.commit).map(\.uploadCount) == [2], "both in one transaction")
        desk.answerAll(store)
        #expect(desk.heard(by: alice).acknowledged == 2)
        #expect(desk.heard(by: bob).acknowledged == 1)
    }

    @Test("a device that is gone when its commit is answered has uploaded all the same")
    func goneSender() throws {
        let (desk, store, alice, bob) = Self.two()
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.run(alice, .lost)
        desk.run(bob, .lost)
        desk.answerAll(store)
        #expect(try store.head(of: RelayWorld.space)?.versionCount == 1)
        let carol = desk.relayHello(3)
        desk.answerAll(store)
        #expect(desk.changes(carol) == [Desk.change(5, 1, 1)])
    }

    @Test("what came behind an upload that is refused late is not kept")
    func behindRefused() throws {
        let (desk, store, alice, bob) = Self.two()
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.say(alice, Desk.batch([Desk.change(6, 1, 2)], through: 2))
        desk.say(bob, Desk.batch([Desk.change(7, 2, 1)], through: 1))
        let call = try #require(store.calls(.commit).first)
        store.fail(call, .unreachable(server: "", detail: ""))
        desk.takeAnswers()
        desk.commit()
        desk.answerAll(store)
        #expect(try store.head(of: RelayWorld.space)?.versionCount == 1)
        #expect(desk.heard(by: bob).acknowledged == 1)
        #expect(desk.error(alice)?.known == .store)
    }

    @Test("a commit that fails ends who uploaded, and nobody else")
    func failedCommit() throws {
        let (desk, store, alice, bob) = Self.two()
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        let call = try #require(store.calls(.commit).first)
        store.fail(call, .unreachable(server: "", detail: ""))
        desk.takeAnswers()
        #expect(desk.error(alice)?.reason == .storeBusy)
        #expect(desk.heard(by: alice).acknowledged == nil)
        #expect(desk.ends[bob] == nil)
        desk.say(bob, Desk.batch([Desk.change(7, 2, 1)], through: 1))
        desk.commit()
        desk.answerAll(store)
        #expect(desk.heard(by: bob).acknowledged == 1)
        #expect(try store.head(of: RelayWorld.space)?.versionCount == 1)
    }

    @Test("a reading that fails ends who waits for it; damage ends all, whatever is under way")
    func failedReading() {
        let (desk, store, alice, bob) = Self.two()
        let carol = desk.relayHello(3)
        desk.answer(store, .admit)
        desk.answer(store, .read, .unreachable(server: "", detail: ""))
        #expect(desk.error(carol)?.reason == .storeBusy)
        #expect(desk.ends[alice] == nil && desk.ends[bob] == nil)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        let dave = desk.relayHello(4)
        desk.answer(store, .admit)
        desk.answer(store, .read, .corrupt(path: "", detail: ""))
        #expect([alice, bob, dave].allSatisfy { desk.error($0)?.reason == .damagedStore })
        desk.answerAll(store)
        #expect(desk.node.sessionCount == 0)
    }

    @Test("a reading for a device that is gone is for nobody")
    func goneReader() {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        desk.answer(store, .admit)
        desk.run(alice, .lost)
        desk.answerAll(store)
        #expect(desk.node.sessionCount == 0)
        #expect(desk.heard(by: alice).kinds == [21])
    }

    @Test("what is committed while a device reads reaches it, and no reading from before is kept")
    func changedMeanwhile() throws {
        let (desk, store, alice, bob) = Self.two()
        let carol = desk.relayHello(3)
        desk.answer(store, .admit)
        // Read from the store, and the answer is on its way.
        store.work(try #require(store.calls(.read).first))
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.answer(store, .commit)
        desk.answer(store, .read)
        let dave = desk.relayHello(4)
        desk.answerAll(store)
        for id in [bob, carol, dave] {
            let heard = desk.heard(by: id)
            #expect(heard.kinds.last == 23)
            #expect(heard.kinds.filter { $0 == 2 }.count == 1, "\(heard.kinds)")
        }
    }

    @Test("what another process has committed while a device reads reaches who comes then")
    func changedByOthers() throws {
        let (desk, store, alice, bob) = Self.two()
        let key = try #require(try store.head(of: RelayWorld.space)).key
        let carol = desk.relayHello(3)
        desk.answer(store, .admit)
        store.work(try #require(store.calls(.read).first))
        var commit: Result<RelayCommit, RelayStoreFault>?
        let change = Desk.change(5, 9, 1)
        store.commit(
            [
                RelayUpload(
                    sender: RelayServerSessionID(number: 999), replica: ReplicaID(value: 9),
                    item: .changes(
                        ChangeBatch(
                            changes: [change],
                            through: Checkpoint(epoch: EpochID(value: 99), sequence: 1))))
            ], to: key
        ) { commit = $0 }
        store.answer(try #require(store.calls(.commit).first))
        #expect(throws: Never.self) { try commit?.get() }
        desk.take(desk.node.storeChanged(in: [RelayWorld.space], now: desk.world.now))
        desk.answer(store, .read)
        let dave = desk.relayHello(4)
        desk.answerAll(store)
        for id in [alice, bob, carol, dave] { #expect(desk.changes(id) == [change]) }
    }

    @Test("who asks for the same is answered with one reading, encoded once")
    func joined() {
        let (desk, store) = RelayDesk.late()
        let readers = (0..<20).map { desk.relayHello(UInt128($0 + 2)) }
        let writer = desk.relayHello(1)
        desk.answerAll(store)
        desk.say(writer, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.answer(store, .commit)
        #expect(store.calls(.read).count == 2, "the writer's own, and one for all others")
        desk.answerAll(store)
        for reader in readers { #expect(desk.changes(reader) == [Desk.change(5, 1, 1)]) }
    }

    @Test("an acknowledgement waits for one reading, however much others bring meanwhile")
    func busySpace() {
        let (desk, store, alice, bob) = Self.two()
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.answer(store, .commit)
        for round in 1...3 {
            desk.say(bob, Desk.batch([Desk.change(7, 2, UInt64(round))], through: UInt64(round)))
            desk.commit()
            desk.answer(store, .commit)
            while let call = store.calls(.read).first {
                // Something always comes before the reading is over.
                store.answer(call)
                desk.take(desk.node.storeChanged(in: [RelayWorld.space], now: desk.world.now))
                desk.takeAnswers()
                if desk.heard(by: alice).acknowledged == 1 { return }
                if store.calls(.read).count > 6 { break }
            }
        }
        Issue.record("alice was never told")
    }
}
