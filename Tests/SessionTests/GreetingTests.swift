import Core
import Session
import TestSupport
import Testing

@Suite("A session's greeting")
struct GreetingTests {
    /// Returns the error code that ended a side's session, and the side at fault.
    private func fault(_ pair: SessionPair, _ side: Int) -> (PeerError.Code?, SessionSide)? {
        guard case .failed(let error, let at)? = pair.ends[side].end else { return nil }
        return (error.known, at)
    }

    private func pair(_ change: (inout MemoryStore) -> Void) -> SessionPair {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .int(1)])
        change(&second)
        var pair = SessionPair(first, second)
        pair.open()
        pair.run()
        return pair
    }

    @Test("another space is refused, with both named")
    func foreignSpace() {
        let pair = pair { $0.space = SpaceID(value: 77) }
        #expect(fault(pair, 0)! == (.foreignSpace, .both))
        #expect(fault(pair, 1)! == (.foreignSpace, .both))
        guard case .failed(let error, _)? = pair.ends[0].end else { return }
        #expect(error.message.contains("\(SpaceID(value: 77))"))
        #expect(error.message.contains("\(MemoryStore.space)"))
        #expect(pair.ends[0].store.contents.count == 1)
    }

    @Test("another rule for the same space is refused, with both named")
    func rulesDiffer() {
        let pair = pair { $0.policy = .editsWin }
        #expect(fault(pair, 0)! == (.rulesDiffer, .both))
        guard case .failed(let error, _)? = pair.ends[0].end else { return }
        #expect(error.message.contains("edits-win") && error.message.contains("deletes-win"))
    }

    @Test("a peer with one's own id is refused, and casts a doubt on who one is")
    func sameReplica() {
        let pair = pair { $0 = MemoryStore(1) }
        #expect(fault(pair, 0)! == (.sameReplica, .both))
        #expect(fault(pair, 1)! == (.sameReplica, .both))
        #expect(
            pair.ends[1].asked.contains(
                .suspectIdentity(
                    .sameReplica(incarnation: MemoryStore(1).incarnation, counter: 1))))
    }

    @Test("without a common version the older side is told to upgrade")
    func incompatible() {
        for (versions, side) in [(UInt64(2)...3, SessionSide.ours), (0...0, .theirs)] {
            var session = SyncSession(role: .responder, isLive: false)
            _ = session.step(.opened, now: Instant(milliseconds: 0))
            let store = MemoryStore(1)
            var hello = Hello(
                space: store.space, policy: .deletesWin, replica: store.replica,
                incarnation: store.incarnation, summary: nil, features: [], peerCheckpoint: nil)
            (hello.versionMin, hello.versionMax) = (versions.lowerBound, versions.upperBound)
            let effects = session.step(.received(.hello(hello)), now: Instant(milliseconds: 1))
            guard case .close(.failed(let error, side))? = effects.last else {
                Issue.record("\(effects)")
                continue
            }
            #expect(error.known == .incompatible)
            #expect(effects.contains(.send(.error(error))))
        }
    }

    @Test("a first hello must have the digests of what there is")
    func missingSummary() {
        var session = SyncSession(role: .responder, isLive: false)
        _ = session.step(.opened, now: Instant(milliseconds: 0))
        let store = MemoryStore(1)
        let hello = Hello(
            space: store.space, policy: .deletesWin, replica: store.replica,
            incarnation: store.incarnation, summary: nil, features: [], peerCheckpoint: nil)
        let effects = session.step(.received(.hello(hello)), now: Instant(milliseconds: 1))
        guard case .close(.failed(let error, .theirs))? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        #expect(error.known == .malformed)
    }

    @Test(
        "hellos that say all have each store join, once and with nothing open: that ends an exchange"
    )
    func equalHellosJoin() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .int(1)])
        for _ in 0..<2 { _ = SessionPair.sync(&first, &second) }
        let pair = SessionPair.sync(&first, &second)
        for side in 0...1 {
            #expect(pair.kinds(side) == [1])
            let joins = pair.ends[side].asked.compactMap {
                if case .join(let request) = $0 { request } else { nil }
            }
            #expect(joins.count == 1)
            #expect(joins.first?.open == [])
            #expect(joins.first?.stateSummary == pair.ends[side].store.stateSummary)
            #expect(joins.first?.through.sequence == pair.ends[1 - side].store.sequence)
        }
    }

    @Test("a peer that never greets is given up", arguments: [SessionRole.initiator, .responder])
    func greetingTimeout(role: SessionRole) {
        let side = role == .initiator ? 0 : 1
        var pair = SessionPair(MemoryStore(1), MemoryStore(2))
        pair.tell(side, .opened)
        pair.pass(milliseconds: 9_999, isCut: true)
        #expect(pair.ends[side].end == nil)
        pair.pass(milliseconds: 2, isCut: true)
        #expect(fault(pair, side)! == (.timeout, .theirs))
    }

    @Test("bytes that are no message end the session and are named")
    func malformed() {
        var pair = SessionPair(MemoryStore(1), MemoryStore(2))
        pair.open()
        pair.ends[1].incoming = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        pair.run()
        #expect(fault(pair, 1)! == (.malformed, .theirs))
        #expect(fault(pair, 0)! == (.malformed, .ours))
    }

    @Test("a store that fails tells the peer, and nobody is stuck")
    func storeFailed() {
        var pair = SessionPair(MemoryStore(1), MemoryStore(2))
        pair.open()
        let error = PeerError(.store, "the disk is full", side: .speaker, advice: "make room")
        pair.tell(1, .storeFailed(error))
        pair.run()
        #expect(pair.ends[1].end == .failed(error, .ours))
        #expect(pair.ends[0].end == .failed(error, .theirs))
    }

    @Test("a store that takes a new id ends its sessions")
    func identityChanged() {
        var pair = SessionPair(MemoryStore(1), MemoryStore(2), isLive: true)
        pair.open()
        pair.run()
        pair.tell(0, .identityChanged)
        pair.run()
        #expect(fault(pair, 0)! == (.newIdentity, .ours))
        #expect(fault(pair, 1)! == (.newIdentity, .theirs))
    }

    /// A store set back to an earlier state meets one that has seen more of it.
    @Test("a store that was set back finds out, takes a new id and loses nothing", arguments: 0...1)
    func rollback(role: Int) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .text("kept")])
        let backup = first
        first.write(2, [2: .text("lost with the disk")])
        _ = SessionPair.sync(&first, &second)
        var restored = backup
        restored.reopen()
        restored.write(3, [2: .text("after the restore")])
        var pair =
            role == 0
            ? SessionPair(restored, second, guess: second.replica)
            : SessionPair(second, restored, guess: restored.replica)
        pair.open()
        pair.run()
        #expect(pair.ends[role].store.newIDCount == 1)
        #expect(fault(pair, role)! == (.newIdentity, .ours))
        #expect(fault(pair, 1 - role)! == (.newIdentity, .theirs))
        #expect(pair.kinds(role).contains(12))
        #expect(pair.kinds(1 - role).contains(13))
        let isMerging = pair.ends.contains { end in
            end.asked.contains {
                switch $0 {
                case .integrate, .join: true
                default: false
                }
            }
        }
        #expect(!isMerging, "nothing is merged while it is unknown who is who")
    }

    @Test("a doubt that the history dispels goes on to a sync", arguments: [true, false])
    func dispelled(isEqual: Bool) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .text("one")])
        _ = SessionPair.sync(&first, &second)
        // The peer remembers an epoch that is not on this store's list, but no more of its writes.
        let forged = ChangeBatch.AnnouncedIncarnation(
            replica: first.replica, start: Incarnation(epoch: EpochID(value: 5), counter: 0))
        _ = second.integrate(
            IntegrateRequest(
                changes: [], peer: first.replica, checkpoint: nil, incarnations: [forged],
                isRepair: false))
        if !isEqual { second.write(2, [2: .text("two")]) }
        for role in 0...1 {
            var pair =
                role == 0
                ? SessionPair(first, second, guess: second.replica)
                : SessionPair(second, first, guess: first.replica)
            pair.open()
            pair.run()
            #expect(pair.kinds(role).contains(12))
            #expect(pair.isEqual)
            #expect(pair.ends.map(\.end) == [.finished, .finished])
        }
    }
}
