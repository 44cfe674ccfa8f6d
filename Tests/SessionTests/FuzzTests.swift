import Core
import Session
import TestSupport
import Testing

/// Whatever a peer says, in whatever order: the session answers, ends, but never traps or hangs.
@Suite("A session with a peer that talks nonsense")
struct FuzzTests {
    private struct Nonsense {
        var random: TestRandom

        mutating func number(_ max: UInt64 = 4) -> UInt64 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: UInt64(Int64.max)
            case 1: UInt64.max
            default: UInt64.random(in: 0...max, using: &random)
            }
        }

        mutating func replica() -> ReplicaID {
            [MemoryStore(1).replica, MemoryStore(2).replica, ReplicaID(value: 9)]
                .randomElement(using: &random) ?? ReplicaID(value: 0)
        }

        mutating func checkpoint() -> Checkpoint {
            Checkpoint(
                epoch: EpochID(value: Bool.random(using: &random) ? 0 : number()),
                sequence: number(10))
        }

        mutating func peerCheckpoint() -> PeerCheckpoint {
            PeerCheckpoint(
                peer: Bool.random(using: &random) ? nil : replica(),
                checkpoint: Bool.random(using: &random) ? nil : checkpoint(),
                counter: Bool.random(using: &random) ? 0 : number(),
                epoch: Bool.random(using: &random) ? nil : EpochID(value: number()),
                summary: Bool.random(using: &random) ? nil : checkpoint())
        }

        mutating func entries() -> [StateSummaryEntry] {
            (0..<Int.random(in: 0...2, using: &random)).map { index in
                StateSummaryEntry(
                    replica: ReplicaID(value: UInt128(index) << 120 | 7), counter: number(),
                    checksum: UInt128(number()), seen: number())
            }
        }

        mutating func hello(_ store: MemoryStore) -> Hello {
            var hello = Hello(
                space: store.space, policy: .deletesWin, replica: ReplicaID(value: 5),
                incarnation: Incarnation(epoch: EpochID(value: 3), counter: number()),
                summary: Int.random(in: 0..<4, using: &random) == 0
                    ? nil
                    : (Bool.random(using: &random)
                        ? store.stateSummary : StateSummary(entries: entries(), digest: 0))
                        .head(SipHash()),
                features: Bool.random(using: &random) ? .live : [],
                peerCheckpoint: Bool.random(using: &random) ? nil : peerCheckpoint())
            hello.reached = Bool.random(using: &random) ? nil : number()
            return hello
        }

        mutating func ranges() -> SummaryRanges {
            let count = Int.random(in: 0...3, using: &random)
            var ranges = (0..<count).map { index in
                SummaryRanges.Range(upper: UInt128(index + 1) << 118, content())
            }
            if count == 0 || Bool.random(using: &random) {
                ranges.append(SummaryRanges.Range(upper: nil, content()))
            }
            return SummaryRanges(ranges)
        }

        private mutating func content() -> SummaryRanges.Content {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return .known
            case 1: return .sum(number())
            case 2: return .entries(entries())
            default: return .answer(entries())
            }
        }

        mutating func change() -> Change {
            let dot = Dot(replica: replica(), counter: max(1, number()))
            let id = RecordID(value: UInt128(number(3)))
            let write = Write(
                dot: dot, timestamp: HybridTimestamp(rawValue: 1),
                assignments: [Assignment(.number(2), .int(Int64(number(9) & 7)))])
            let record = RecordState(clock: VersionVector(dot), writes: [write])
            let known = Bool.random(using: &random) ? record.clock : nil
            var body = BodyCodec.encode(record, in: MemoryStore.collection, known: known)
            if Int.random(in: 0..<6, using: &random) == 0 { body = [0xff] }
            return Change(id: id, clock: record.clock, body: body)
        }

        mutating func part() -> BodyPart {
            let change = change()
            let count = Int.random(in: 1...3, using: &random)
            return BodyPart(
                id: RecordID(value: 1), clock: change.clock,
                byteCount: [3, 6, Int.max, -1].randomElement(using: &random) ?? 3,
                offset: [0, 0, 3, Int.max].randomElement(using: &random) ?? 0,
                bytes: Array(repeating: 1, count: count))
        }

        mutating func message(_ store: MemoryStore) -> Message {
            switch Int.random(in: 0..<24, using: &random) {
            case 0: return .hello(hello(store))
            case 1: return .peerCheckpoint(peerCheckpoint())
            case 2, 3, 4:
                let count = Int.random(in: 0...3, using: &random)
                return .changes(
                    ChangeBatch(
                        changes: (0..<count).map { _ in change() },
                        through: Bool.random(using: &random) ? nil : checkpoint()))
            case 5: return .part(part())
            case 6, 7: return .acknowledge(UInt64.random(in: 0...2, using: &random))
            case 8, 9:
                return .caughtUp(
                    CaughtUp(
                        through: checkpoint(), changed: entries(),
                        digest: Bool.random(using: &random)
                            ? nil
                            : Digest(
                                contents: UInt128(number()),
                                clocks: Bool.random(using: &random) ? nil : UInt128(number())),
                        sum: Bool.random(using: &random) ? nil : UInt128(number()),
                        summarySequence: Bool.random(using: &random) ? nil : number()))
            case 10:
                return .want(
                    (0..<3).map { _ in RecordName(toDo: RecordID(value: UInt128(number(3)))) })
            case 11: return .repair
            case 12: return .askHistory
            case 13:
                return .history(
                    History(replica: replica(), counter: number(), incarnations: []))
            case 14: return .ping(number())
            case 15: return .pong(number())
            case 16: return Int.random(in: 0..<8, using: &random) == 0 ? .bye : .ignorable(130)
            case 17: return .ignorable(200)
            case 18, 19: return .summaryRanges(ranges())
            case 20: return .summaryPage(SummaryPage(entries()))
            case 21, 22: return .summaryList(SummaryList(entries()))
            default: return .acknowledge(number())
            }
        }
    }

    @Test("never traps, and always ends with a reason", arguments: Array(UInt64(0)..<40))
    func nonsense(block: UInt64) {
        for round in 0..<100 {
            var nonsense = Nonsense(random: TestRandom(seed: block * 1_000 + UInt64(round)))
            var store = MemoryStore(1)
            for id in 0..<3 { store.write(UInt64(id), [2: .int(1)]) }
            let side = round % 2
            var pair = SessionPair(
                side == 0 ? store : MemoryStore(2), side == 1 ? store : MemoryStore(2),
                isLive: round % 4 < 2, guess: round % 3 == 0 ? ReplicaID(value: 5) : nil)
            pair.tell(side, .opened)
            if round % 5 != 0 { pair.tell(side, .received(.hello(nonsense.hello(store)))) }
            for step in 0..<40 where pair.ends[side].end == nil {
                pair.tell(side, .received(nonsense.message(store)))
                if step % 7 == 0 { pair.tell(side, .storeChanged) }
                if step % 11 == 0 { pair.pass(milliseconds: 700, isCut: true) }
                if step == 30 { pair.tell(side, .drain) }
            }
            pair.tell(side, .lost)
            #expect(pair.ends[side].end != nil)
            #expect(pair.ends[side].session.step(.wake, now: pair.now) == [])
        }
    }

    @Test("flipped bytes on the way end the session, and the next one heals")
    func flipped() {
        for seed in UInt64(1)...200 {
            var random = TestRandom(seed: seed)
            var (first, second) = (MemoryStore(1), MemoryStore(2))
            for id in 0..<5 { first.write(UInt64(id), [2: .text("title \(id)")]) }
            second.write(9, [2: .int(1)])
            var pair = SessionPair(first, second, seed: seed)
            pair.pieceMax = 40
            pair.open()
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                for side in 0...1 where !pair.ends[side].incoming.isEmpty {
                    pair.deliver(side, 40)
                }
            }
            for side in 0...1 where !pair.ends[side].incoming.isEmpty {
                let index = Int.random(in: 0..<pair.ends[side].incoming.count, using: &random)
                pair.ends[side].incoming[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
            }
            pair.run()
            // A damaged length can leave both sides waiting for bytes that never come.
            pair.pass(milliseconds: 60_000)
            #expect(pair.ends.allSatisfy { $0.end != nil })
            (first, second) = (pair.ends[0].store, pair.ends[1].store)
            let next = SessionPair.sync(&first, &second)
            #expect(next.isEqual)
        }
    }
}
