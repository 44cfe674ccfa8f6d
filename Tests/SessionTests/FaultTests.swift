import Core
import Session
import TestSupport
import Testing

@Suite("A session's faults")
struct FaultTests {
    private static let change = Change(
        id: RecordID(value: 1),
        clock: VersionVector(Dot(replica: ReplicaID(value: 3), counter: 1)), body: [0x81, 1])

    private static func part(
        offset: Int, byteCount: Int = 10, id: UInt128 = 1, bytes: [UInt8] = [1, 2, 3]
    ) -> Message {
        .part(
            BodyPart(
                id: RecordID(value: id), clock: change.clock, byteCount: byteCount, offset: offset,
                bytes: bytes))
    }

    private static let batch = Message.changes(ChangeBatch(changes: [], through: nil))
    private static let end = Message.caughtUp(
        CaughtUp(
            through: Checkpoint(epoch: EpochID(value: 0), sequence: 1), changed: [], digest: nil))

    /// Messages that a live session which has caught up must refuse, and as what.
    static let refused: [(String, [Message], PeerError.Code)] = [
        ("an acknowledgement of what was not sent", [.acknowledge(1)], .outOfOrder),
        ("a history that nobody asked for", [.history(history)], .outOfOrder),
        ("a second question", [.askHistory, .askHistory], .outOfOrder),
        ("a second recollection", [.peerCheckpoint(peerCheckpoint)], .outOfOrder),
        ("a second full exchange", [.repair, .repair], .outOfOrder),
        ("a part that begins in the middle", [part(offset: 3)], .outOfOrder),
        ("a part that leaves a gap", [part(offset: 0), part(offset: 4)], .outOfOrder),
        ("a part of another body", [part(offset: 0), part(offset: 3, id: 2)], .outOfOrder),
        (
            "a part of another length", [part(offset: 0), part(offset: 3, byteCount: 11)],
            .outOfOrder
        ),
        ("a part over the end", [part(offset: 0, byteCount: 2)], .outOfOrder),
        (
            "a body over the limit",
            [part(offset: 0, byteCount: RecordLimits.bodyByteCountMax + 1)], .overLimit
        ),
        ("a batch inside a body", [part(offset: 0), batch], .outOfOrder),
        ("a state summary inside a body", [part(offset: 0), end], .outOfOrder),
        (
            "two bodies for one batch", [part(offset: 0, byteCount: 3), part(offset: 0)],
            .outOfOrder
        ),
        (
            "too many wishes",
            [.want(Array(repeating: change.name, count: WireLimits.wantCountMax + 1))], .overLimit
        ),
    ]

    private static let history = History(
        replica: ReplicaID(value: 1), counter: 1, incarnations: [])
    private static let peerCheckpoint = PeerCheckpoint(
        peer: nil, checkpoint: nil, counter: 0, epoch: nil)

    private func livePair() -> SessionPair {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .int(1)])
        var pair = SessionPair(first, second, isLive: true, guess: second.replica)
        pair.open()
        pair.run()
        return pair
    }

    @Test("what does not belong is refused and named", arguments: 0..<refused.count)
    func refuses(row: Int) {
        let (name, messages, code) = Self.refused[row]
        for side in 0...1 {
            var pair = livePair()
            // The responder has acknowledged and sent nothing that could be acknowledged.
            if row == 0, side == 0 { continue }
            for message in messages { pair.tell(side, .received(message)) }
            guard case .failed(let error, .theirs)? = pair.ends[side].end else {
                Issue.record("\(name): \(String(describing: pair.ends[side].end))")
                continue
            }
            #expect(error.known == code, "\(name)")
            #expect(pair.ends[side].said.last == .error(error))
            #expect(error.message.utf8.count <= WireLimits.textByteCountMax)
        }
    }

    @Test("a second hello is refused")
    func secondHello() {
        var pair = livePair()
        let hello = pair.ends[0].said[0]
        pair.tell(1, .received(hello))
        guard case .failed(let error, .theirs)? = pair.ends[1].end else {
            Issue.record("a second hello was taken")
            return
        }
        #expect(error.known == .outOfOrder)
    }

    @Test("anything before a hello is refused")
    func beforeHello() {
        for message in [Self.batch, Self.end, .ping(1), .acknowledge(0), .repair, .want([])] {
            var session = SyncSession(role: .responder, isLive: false)
            _ = session.step(.opened, now: Instant(milliseconds: 0))
            let effects = session.step(.received(message), now: Instant(milliseconds: 1))
            guard case .close(.failed(let error, .theirs))? = effects.last else {
                Issue.record("\(message)")
                continue
            }
            #expect(error.known == .outOfOrder)
        }
    }

    @Test("a message from a newer version that may be skipped is skipped, a ping is answered")
    func skipped() {
        var pair = livePair()
        pair.tell(0, .received(.ignorable(200)))
        pair.tell(0, .received(.ping(42)))
        #expect(pair.ends[0].said.last == .pong(42))
        #expect(pair.ends[0].end == nil)
    }

    @Test("a message for relays of a kind that may be skipped is skipped, before a hello too")
    func rekeyMessageSkipped() {
        let message = Message.rekeyMessage(RekeyMessage(generation: 1, verifier: [1], bytes: [2]))
        var pair = livePair()
        pair.tell(0, .received(message))
        #expect(pair.ends[0].end == nil)
        var session = SyncSession(role: .responder, isLive: false)
        _ = session.step(.opened, now: Instant(milliseconds: 0))
        let effects = session.step(.received(message), now: Instant(milliseconds: 1))
        #expect(effects.allSatisfy { if case .wake = $0 { true } else { false } })
    }

    @Test("a fault over a limit is error 7, any other error 1")
    func faultCodes() {
        let cases: [(WireFault, PeerError.Code)] = [
            (.overLimit(.batchChanges, max: 4096), .overLimit), (.truncated, .malformed),
            (.frameTooLong(byteCount: 1 << 21, max: 1 << 20), .malformed),
            (.unknownMessage(100), .malformed),
        ]
        for (fault, code) in cases {
            var pair = livePair()
            pair.tell(1, .undecodable(fault))
            guard case .failed(let error, _)? = pair.ends[1].end else {
                Issue.record("\(fault)")
                continue
            }
            #expect(error.known == code)
        }
    }

    @Test("more batches than the window, while this side waits, are refused")
    func overWindow() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .int(1)])
        second.write(2, [2: .int(1)])
        var pair = SessionPair(first, second)
        pair.open()
        pair.deliver(1, 10_000)
        let whole = SummaryRanges.Range(upper: nil, .entries(first.stateSummary.entries))
        pair.tell(1, .received(.summaryRanges(SummaryRanges([whole]))))
        // The initiator's peer checkpoint has not come: nothing may be merged yet.
        for _ in 0..<WireLimits.windowBatchCount {
            pair.tell(1, .received(.changes(ChangeBatch(changes: [Self.change], through: nil))))
            #expect(pair.ends[1].end == nil)
        }
        pair.tell(1, .received(.changes(ChangeBatch(changes: [Self.change], through: nil))))
        guard case .failed(let error, .theirs)? = pair.ends[1].end else {
            Issue.record("an endless queue")
            return
        }
        #expect(error.known == .overLimit)
    }

    @Test("a record asked for whole that comes without its values is refused")
    func wholeButElided() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(2, [2: .int(1)])
        first.write(2, [3: .int(1)])
        _ = SessionPair.sync(&first, &second)
        second.forget(2)
        first.write(2, [3: .int(2)])
        var pair = SessionPair(first, second, guess: second.replica)
        pair.open()
        for _ in 0..<100 where !pair.kinds(1).contains(6) {
            for side in 0...1 where !pair.ends[side].incoming.isEmpty { pair.deliver(side, 50) }
        }
        guard
            case .changes(var batch)? = pair.ends[0].said.first(where: { $0.kind == 2 })
        else {
            Issue.record("nothing was sent")
            return
        }
        batch.through = nil
        pair.tell(1, .received(.changes(batch)))
        guard case .failed(let error, .theirs)? = pair.ends[1].end else {
            Issue.record("asked for ever")
            return
        }
        #expect(error.known == .malformed)
    }

    @Test("a peer that never sends what was asked for is given up")
    func wantTimeout() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(2, [2: .int(1)])
        _ = SessionPair.sync(&first, &second)
        second.forget(2)
        first.write(2, [3: .int(2)])
        var pair = SessionPair(first, second, guess: second.replica)
        pair.open()
        for _ in 0..<100 where !pair.kinds(1).contains(6) {
            for side in 0...1 where !pair.ends[side].incoming.isEmpty { pair.deliver(side, 50) }
        }
        // The peer lives, but says nothing more of it.
        for _ in 0..<40 {
            pair.tell(1, .received(.ping(0)))
            pair.pass(milliseconds: 1_000, isCut: true)
        }
        guard case .failed(let error, .theirs)? = pair.ends[1].end else {
            Issue.record("waited for ever")
            return
        }
        #expect(error.known == .timeout)
    }

    @Test("a pong that answers no ping, or one a second time, is refused")
    func unaskedPong() {
        for numbers: [UInt64] in [[1], [0]] {
            var pair = livePair()
            for number in numbers { pair.tell(0, .received(.pong(number))) }
            guard case .failed(let error, .theirs)? = pair.ends[0].end else {
                Issue.record("pongs \(numbers) were taken")
                continue
            }
            #expect(error.known == .outOfOrder)
        }
        var liveness = Liveness(
            silenceTimeoutMilliseconds: 30_000, pingIntervalMilliseconds: 10_000)
        let (first, second) = (liveness.nextPing(), liveness.nextPing())
        let isTaken = [second + 1, first, first, second].map { liveness.notePong($0) }
        #expect(isTaken == [false, true, false, true])
    }

    @Test(
        "as many unknown records as may be asked for, each twice, bring one state summary and no batch"
    )
    func wantsOfUnknown() {
        var pair = livePair()
        let before = pair.ends[0].said.count
        let half = WireLimits.wantCountMax / 2
        let ids = (0..<half).map { RecordName(toDo: RecordID(value: UInt128(1_000_000 + $0))) }
        pair.tell(0, .received(.want(ids + ids)))
        pair.run()
        let said = pair.ends[0].said.dropFirst(before)
        #expect(said.count { $0.kind == 4 } == 1)
        #expect(!said.contains { $0.kind == 2 })
        #expect(pair.ends[0].end == nil)
    }

    @Test("a record that is asked for twice at once comes once")
    func wantsTwice() {
        var pair = livePair()
        let before = pair.ends[0].said.count
        pair.tell(
            0, .received(.want(Array(repeating: RecordName(toDo: RecordID(value: 1)), count: 100))))
        pair.run()
        let changes = pair.ends[0].said.dropFirst(before).reduce(0) { count, message in
            if case .changes(let batch) = message { count + batch.changes.count } else { count }
        }
        #expect(changes == 1)
    }

    @Test("an error that is heard ends the session and is not answered")
    func heard() {
        var pair = livePair()
        let error = PeerError(
            code: 99, message: "something newer", side: .hearer, advice: "do something")
        let count = pair.ends[0].said.count
        pair.tell(0, .received(.error(error)))
        #expect(pair.ends[0].end == .failed(error, .ours))
        #expect(pair.ends[0].said.count == count)
        #expect(pair.ends[0].session.step(.wake, now: pair.now) == [])
    }
}
