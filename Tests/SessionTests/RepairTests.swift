import Core
import Session
import TestSupport
import Testing

@Suite("A session's full exchange")
struct RepairTests {
    /// Two stores with the same clocks, of which one record differs in its contents.
    private func divergedStores() -> (MemoryStore, MemoryStore) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<20 { first.write(UInt64(id), [2: .text("title \(id)")]) }
        second.write(50, [2: .text("theirs")])
        _ = SessionPair.sync(&first, &second)
        let id = RecordName(toDo: RecordID(value: 7))
        guard var record = second.contents[id] else { return (first, second) }
        record.writes[0].assignments = [
            Assignment(.number(2), .text("title 7")), Assignment(.number(3), .int(3)),
        ]
        second.put(record, id)
        return (first, second)
    }

    @Test("contents that differ under equal clocks are united", arguments: [true, false])
    func unites(isLive: Bool) {
        let (first, second) = divergedStores()
        var pair = SessionPair(first, second, isLive: isLive, guess: second.replica)
        pair.open()
        pair.run()
        #expect(pair.isEqual)
        #expect(pair.ends[0].store.value(7, 3) == .int(3))
        for end in pair.ends {
            #expect(end.report.isDiverged)
            #expect(end.report.isRepaired)
            let expected: SessionEnd? = isLive ? nil : .finished
            #expect(end.end == expected)
        }
        #expect(pair.kinds(0).filter { $0 == 11 } == [11])
        #expect(pair.kinds(1).filter { $0 == 11 } == [11])
    }

    @Test(
        "both state summaries of a peer count although the second made the first moot",
        arguments: [true, false])
    func slowStore(isLive: Bool) {
        let (first, second) = divergedStores()
        var pair = SessionPair(first, second, isLive: isLive, guess: second.replica)
        pair.slowSide = 0
        pair.open()
        repeat { pair.run() } while pair.release()
        #expect(pair.ends.map(\.report.isRepaired) == [true, true])
        let expected: SessionEnd? = isLive ? nil : .finished
        #expect(pair.ends.map(\.end) == [expected, expected])
        guard isLive else { return }
        pair.ends[0].store.write(60, [2: .text("written afterwards")])
        pair.tell(0, .storeChanged)
        repeat { pair.run() } while pair.release()
        #expect(pair.ends[1].store.value(60) == .text("written afterwards"))
    }

    @Test("afterwards a sync is quiet again")
    func quietAfterwards() {
        var (first, second) = divergedStores()
        _ = SessionPair.sync(&first, &second)
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.kinds(0) == [1])
        #expect(pair.ends.map(\.report.isDiverged) == [false, false])
    }

    @Test("a difference that stays is an error of both sides")
    func stays() {
        var (first, second) = divergedStores()
        first.refusesUnion = true
        second.refusesUnion = true
        let pair = SessionPair.sync(&first, &second)
        for end in pair.ends {
            guard case .failed(let error, .both)? = end.end else {
                Issue.record("\(String(describing: end.end))")
                continue
            }
            #expect(error.known == .diverged)
        }
    }

    @Test(
        "a live session goes on after it, with commits meanwhile", arguments: Array(UInt64(1)...10))
    func goesOn(seed: UInt64) {
        let (first, second) = divergedStores()
        var pair = SessionPair(first, second, isLive: true, guess: second.replica, seed: seed)
        pair.pieceMax = 100
        pair.open()
        for step in 0..<20 {
            for side in 0...1 where !pair.ends[side].incoming.isEmpty { pair.deliver(side, 90) }
            let side = step % 2
            pair.ends[side].store.write(UInt64(step), [2: .int(Int64(step))])
            pair.tell(side, .storeChanged)
        }
        pair.run()
        pair.pass(milliseconds: 3_000)
        #expect(pair.isEqual)
        #expect(pair.ends.map(\.end) == [nil, nil])
    }

    @Test("a peer that keeps a record back is reported at the second time, and not believed")
    func withheld() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<5 { first.write(UInt64(id), [2: .int(1)]) }
        for round in 0..<2 {
            var pair = SessionPair(first, second, guess: second.replica)
            pair.letsPass = { $0.id.value != 3 }
            pair.open()
            pair.run()
            #expect(pair.ends[1].report.isWithheld == (round == 1))
            #expect(pair.ends[1].end == .finished)
            (first, second) = (pair.ends[0].store, pair.ends[1].store)
        }
        #expect(second.knowledge.counter(of: first.replica) == 0)
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.isEqual)
    }
}
