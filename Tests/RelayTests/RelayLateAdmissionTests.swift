import Core
import Relay
import RelayTestSupport
import Session
import Storage
import Testing

@Suite("A relay whose store answers late: coming, staying and leaving")
struct RelayLateAdmissionTests {
    private typealias Desk = RelayDesk

    @Test("for a device that is gone before the store decides no space is made")
    func goneBefore() throws {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        desk.run(alice, .lost)
        desk.answerAll(store)
        #expect(try store.head(of: RelayWorld.space) == nil)
        #expect(desk.node.sessionCount == 0)
    }

    @Test("a device that is gone behind the decision leaves the space that it has made")
    func goneBehind() throws {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        store.work(try #require(store.calls(.admit).first))
        desk.run(alice, .lost)
        desk.answerAll(store)
        #expect(try store.head(of: RelayWorld.space) != nil)
        #expect(desk.log.contains(.spaceMade(RelayWorld.space, generation: 0)))
        #expect(desk.node.sessionCount == 0 && desk.node.statistics.welcomedCount == 0)
        #expect(desk.heard(by: alice).isEmpty)
    }

    @Test("a device that is put out while the store decides, or behind that, is not let in")
    func putOut() throws {
        let (desk, store) = RelayDesk.late()
        _ = desk.relayHello(9)
        desk.answerAll(store)
        let (early, late) = (desk.relayHello(1, device: 1), desk.relayHello(2, device: 2))
        store.work(try #require(store.calls(.admit).last))
        let out = [UInt8(1), 2].map {
            RelayPutOut(
                space: RelayWorld.space, generation: 0,
                fingerprint: [UInt8](repeating: $0, count: 32))
        }
        desk.take(desk.node.putOut(Set(out), now: desk.world.now))
        desk.answerAll(store)
        for id in [early, late] { #expect(desk.error(id)?.reason == .putOut) }
        #expect(desk.node.statistics.welcomedCount == 1)
    }

    @Test("a device that comes from another process waits for no reading of an earlier moment")
    func readingBefore() throws {
        let (desk, store) = RelayDesk.late()
        let first = desk.relayHello(1)
        while let admission = store.calls(.admit).first {
            store.answer(admission)
            desk.takeAnswers()
        }
        let before = try #require(store.calls(.read).first)
        store.work(before)
        // At another process a device states something, is acknowledged, and comes here.
        let key = try #require(try store.head(of: RelayWorld.space)).key
        let through = Checkpoint(epoch: EpochID(value: 99), sequence: 1)
        let rows = [RelaySamples.row(2, number: 1, [7])]
        _ = try store.store.commit(
            [
                RelayStoreBench.uploadDone(
                    .uploadDone(UploadDone(through: through, rows: rows)), from: 2)
            ],
            to: key)
        let second = desk.relayHello(2)
        store.answer(try #require(store.calls(.admit).first))
        desk.takeAnswers()
        #expect(store.calls(.read).count == 2)
        // The earlier reading is not kept for the others, either.
        store.answer(before)
        desk.takeAnswers()
        #expect(desk.heard(by: first).downloadDone?.rows.isEmpty == true)
        desk.answerAll(store)
        #expect(desk.heard(by: second).downloadDone?.rows.count == 1)
        let third = desk.relayHello(3)
        desk.answerAll(store)
        #expect(desk.heard(by: third).downloadDone?.rows.count == 1)
    }

    @Test("those on whom the store decides count against the most conversations")
    func limits() {
        let (desk, store) = RelayDesk.late {
            $0.limits.spaceSessionCountMax = 3
            $0.limits.deviceSessionCountMax = 2
        }
        let own = (0..<3).map { _ in desk.relayHello(1, device: 1) }
        #expect(desk.error(own[2])?.reason == .deviceSessions)
        let (third, fourth) = (desk.relayHello(2, device: 2), desk.relayHello(3, device: 3))
        #expect(desk.error(fourth)?.reason == .spaceSessions)
        // A device that is gone counts until the store has answered.
        desk.run(own[0], .lost)
        #expect(desk.error(desk.relayHello(1, device: 1))?.reason == .spaceSessions)
        desk.answerAll(store)
        #expect(desk.heard(by: third).relayHelloReply != nil)
        #expect(desk.ends[own[1]] == nil)
        let fifth = desk.relayHello(1, device: 1)
        desk.answerAll(store)
        #expect(desk.ends[fifth] == nil)
    }

    @Test("what comes behind the relay hello waits for the decision, as it came")
    func unread() throws {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1), .ping(1))
        #expect(desk.heard(by: alice).isEmpty)
        desk.answer(store, .admit)
        #expect(desk.heard(by: alice).kinds == [21, 8])
        desk.commit()
        desk.answerAll(store)
        #expect(desk.heard(by: alice).acknowledged == 1)
        // Bytes that are no message are found then.
        let bob = desk.relayHello(2)
        desk.take(desk.node.receive(bob, [UInt8](repeating: 0, count: 64), now: desk.world.now))
        #expect(desk.ends[bob] == nil)
        desk.answer(store, .admit)
        #expect(desk.error(bob)?.known == .malformed)
    }

    @Test("no more bytes wait behind a relay hello than may")
    func unreadBound() {
        let (desk, store) = RelayDesk.late { $0.limits.admissionByteCountMax = 1000 }
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        desk.take(
            desk.node.receive(alice, [UInt8](repeating: 0, count: 1000), now: desk.world.now))
        desk.take(desk.node.receive(bob, [UInt8](repeating: 0, count: 1001), now: desk.world.now))
        #expect(desk.ends[alice] == nil)
        #expect(desk.error(bob)?.known == .overLimit)
        desk.answerAll(store)
        #expect(desk.node.sessionCount == 0, "and what alice sent was no message")
    }

    @Test("a device whose admission takes long is not silent")
    func patience() {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        for _ in 0..<10 { desk.pass(milliseconds: 10_000) }
        #expect(desk.ends[alice] == nil)
        #expect(desk.heard(by: alice).isEmpty)
        desk.answerAll(store)
        #expect(desk.heard(by: alice).kinds.first == 21)
    }

    @Test("an admission that fails is told, and another one succeeds")
    func failedAdmission() throws {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        store.fail(
            try #require(store.calls(.admit).first), .unreachable(server: "", detail: ""))
        desk.takeAnswers()
        #expect(desk.error(alice)?.reason == .storeBusy)
        let again = desk.relayHello(1)
        desk.answerAll(store)
        #expect(desk.heard(by: again).kinds == [21, 23])
    }

    // MARK: Generations

    private static func hello(
        _ desk: RelayDesk, _ replica: UInt128, _ generation: UInt32
    ) -> RelayServerSessionID {
        let space = RelayWorld.space
        let verifiers = (0...generation).map { [UInt8](repeating: UInt8($0), count: 32) }
        let verifier = verifiers[Int(generation)]
        return desk.relayHello(replica) {
            $0.generation = generation
            $0.access = RelayHello.Access(
                verifier: verifier, proof: RelayWorld.proof(verifier, space, generation, nil),
                succession: generation < 2
                    ? nil
                    : RelayWorld.succession(
                        verifiers[Int(generation) - 1], space, generation, verifier))
        }
    }

    @Test("a generation that is begun while a commit is under way ends that, and nobody new")
    func replaced() throws {
        for isCommitFirst in [true, false] {
            let (desk, store) = RelayDesk.late()
            let alice = Self.hello(desk, 1, 1)
            desk.answerAll(store)
            desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
            desk.commit()
            let commit = try #require(store.calls(.commit).first)
            if isCommitFirst { store.work(commit) }
            let bob = Self.hello(desk, 2, 2)
            desk.answer(store, .admit)
            #expect(desk.error(alice)?.reason == .oldGeneration)
            desk.say(bob, Desk.batch([Desk.change(6, 2, 1)], through: 1))
            desk.commit()
            #expect(store.calls(.commit).count == 1, "that of the old generation")
            store.answer(commit)
            desk.takeAnswers()
            desk.answerAll(store)
            #expect(desk.ends[bob] == nil)
            #expect(desk.heard(by: bob).acknowledged == 1)
            #expect(desk.heard(by: alice).acknowledged == nil)
            #expect(try store.head(of: RelayWorld.space)?.versionCount == 1)
        }
    }

    @Test("of two answers the one of the earlier generation does not bring it back")
    func outOfOrder() throws {
        let (desk, store) = RelayDesk.late()
        _ = Self.hello(desk, 1, 1)
        desk.answerAll(store)
        let (old, new) = (Self.hello(desk, 2, 1), Self.hello(desk, 3, 2))
        let calls = store.calls(.admit)
        try #require(calls.count == 2)
        for call in calls { store.work(call) }
        for call in calls.reversed() { store.answer(call) }
        desk.takeAnswers()
        desk.answerAll(store)
        #expect(desk.error(old)?.reason == .oldGeneration)
        #expect(desk.heard(by: new).kinds == [21, 23])
    }

    @Test("a store that was emptied has an earlier generation again, and lets its devices in")
    func emptied() throws {
        let (desk, store) = RelayDesk.late()
        let before = Self.hello(desk, 1, 2)
        desk.answerAll(store)
        store.store.empty()
        let after = Self.hello(desk, 2, 1)
        desk.answerAll(store)
        #expect(desk.heard(by: after).kinds == [21, 23])
        #expect(desk.error(before)?.reason == .replacedFile)
        let again = Self.hello(desk, 1, 2)
        desk.answerAll(store)
        #expect(desk.heard(by: again).kinds == [21, 23])
        #expect(desk.error(after)?.reason == .oldGeneration)
    }

    // MARK: Much at once

    @Test("while too many bytes are under way who uploads is not heard, and all others are")
    func heldBack() throws {
        let (desk, store) = RelayDesk.late { $0.limits.queuedByteCountMax = 10_000 }
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        desk.answerAll(store)
        _ = desk.heard(by: alice)
        for counter: UInt64 in 1...16 {
            desk.say(
                alice,
                Desk.batch([Desk.change(UInt128(counter), 1, counter, 2000)], through: counter))
            desk.commit()
        }
        desk.say(alice, .ping(1))
        desk.say(bob, .ping(1))
        #expect(desk.heard(by: bob).contains { $0.kind == 8 })
        #expect(!desk.heard(by: alice).contains { $0.kind == 8 }, "it is not heard so far")
        #expect(desk.node.statistics.heldByteCount > 10_000, "what came waits unread")
        desk.answerAll(store)
        let heard = desk.heard(by: alice)
        #expect(heard.acknowledged == 16)
        #expect(heard.contains { $0.kind == 8 })
        #expect(try store.head(of: RelayWorld.space)?.versionCount == 16)
        #expect(desk.node.statistics.heldByteCount == 0)
    }

    @Test("who sends more than the window while it is not heard is ended")
    func heldBackBound() {
        let (desk, store) = RelayDesk.late {
            $0.limits.queuedByteCountMax = 1000
            $0.limits.receivedByteCountMax = 20_000
        }
        let alice = desk.relayHello(1)
        desk.answerAll(store)
        for counter: UInt64 in 1...16 where desk.ends[alice] == nil {
            desk.say(
                alice,
                Desk.batch([Desk.change(UInt128(counter), 1, counter, 2000)], through: counter))
            desk.commit()
        }
        #expect(desk.error(alice)?.known == .overLimit)
        desk.answerAll(store)
        #expect(desk.node.sessionCount == 0)
    }

    // MARK: The end

    @Test("a relay that stops waits for what is under way, and takes nothing more")
    func drains() throws {
        let (desk, store) = RelayDesk.late()
        let (alice, bob) = (desk.relayHello(1), desk.relayHello(2))
        desk.answerAll(store)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.say(alice, Desk.batch([Desk.change(6, 1, 2)], through: 2))
        let carol = desk.relayHello(3)
        desk.take(desk.node.runAll(.drain, now: desk.world.now))
        #expect(desk.ends[bob] == .finished && desk.ends[carol] == .finished)
        #expect(desk.ends[alice] == nil)
        desk.say(alice, Desk.batch([Desk.change(7, 1, 3)], through: 3))
        desk.answerAll(store)
        #expect(desk.heard(by: alice).acknowledged == 2)
        #expect(desk.ends[alice] == .finished)
        #expect(try store.head(of: RelayWorld.space)?.versionCount == 2)
        #expect(desk.node.sessionCount == 0)
    }

    @Test("a relay that stops while its store fails ends all the same")
    func drainsFailing() throws {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        desk.answerAll(store)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.take(desk.node.runAll(.drain, now: desk.world.now))
        #expect(desk.ends[alice] == nil)
        store.fail(
            try #require(store.calls(.commit).first), .unreachable(server: "", detail: ""))
        desk.takeAnswers()
        #expect(desk.ends[alice] == .finished)
        #expect(desk.heard(by: alice).acknowledged == nil)
    }

    @Test("closing waits for what is under way and what waits behind it, and no longer")
    func closes() throws {
        let (desk, store) = RelayDesk.late()
        let alice = desk.relayHello(1)
        desk.answerAll(store)
        desk.say(alice, Desk.batch([Desk.change(5, 1, 1)], through: 1))
        desk.commit()
        desk.say(alice, Desk.batch([Desk.change(6, 1, 2)], through: 2))
        desk.take(desk.node.close(now: desk.world.now))
        #expect(try store.head(of: RelayWorld.space)?.versionCount == 2)
        #expect(store.settleCount == 3, "for two commits, and with the end of the store")
        #expect(store.calls.isEmpty)
    }
}
