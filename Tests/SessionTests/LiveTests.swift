import Core
import Session
import TestSupport
import Testing

@Suite("A live session")
struct LiveTests {
    /// Two equal stores in a live session that has caught up.
    private func caughtUpPair(seed: UInt64 = 1) -> SessionPair {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        first.write(1, [2: .text("one")])
        second.write(2, [2: .text("two")])
        _ = SessionPair.sync(&first, &second)
        var pair = SessionPair(first, second, isLive: true, guess: second.replica, seed: seed)
        pair.open()
        pair.run()
        for side in 0...1 {
            pair.ends[side].said = []
            pair.ends[side].asked = []
        }
        return pair
    }

    private func sentRecords(_ pair: SessionPair, _ side: Int) -> [UInt128] {
        pair.ends[side].said.flatMap { message -> [UInt128] in
            if case .changes(let batch) = message { return batch.changes.map(\.id.value) }
            return []
        }
    }

    @Test("stays open when both sides have caught up")
    func stays() {
        let pair = caughtUpPair()
        #expect(pair.ends.map(\.end) == [nil, nil])
        #expect(pair.ends.allSatisfy { $0.report.isCaughtUp })
    }

    @Test("ends if only one side wants to stay")
    func oneLive() {
        let (first, second) = (MemoryStore(1), MemoryStore(2))
        var pair = SessionPair(first, second)
        pair.ends[0].session = SyncSession(role: .initiator, isLive: true)
        pair.open()
        pair.run()
        #expect(pair.ends.map(\.end) == [.finished, .finished])
    }

    @Test("a commit is pushed with its state summary, and comes back to nobody")
    func push() {
        var pair = caughtUpPair()
        pair.ends[0].store.write(3, [2: .text("three")])
        pair.tell(0, .storeChanged)
        pair.run()
        #expect(pair.isEqual)
        #expect(pair.kinds(0) == [2, 4])
        #expect(pair.kinds(1) == [3], "the acknowledgement waits for nothing")
        pair.pass(milliseconds: 6)
        #expect(pair.kinds(1) == [3, 4], "what it has now follows a moment later")
        #expect(pair.ends.allSatisfy { $0.report.isCaughtUp })
        pair.ends[1].store.write(3, [3: .int(3)])
        pair.tell(1, .storeChanged)
        pair.run()
        #expect(pair.isEqual)
        #expect(sentRecords(pair, 1) == [3])
        pair.pass(milliseconds: 6)
        #expect(pair.kinds(0) == [2, 4, 3, 4])
    }

    @Test("a change of nothing says nothing")
    func nothing() {
        var pair = caughtUpPair()
        pair.tell(0, .storeChanged)
        pair.run()
        #expect(pair.kinds(0) == [])
        #expect(pair.totalByteCount > 0)
    }

    @Test(
        "commits on both sides at once meet, whatever the order", arguments: Array(UInt64(1)...20))
    func manyCommits(seed: UInt64) {
        var pair = caughtUpPair(seed: seed)
        pair.pieceMax = 120
        var random = TestRandom(seed: seed)
        for step in 0..<60 {
            let side = Int.random(in: 0...1, using: &random)
            pair.ends[side].store.write(
                UInt64.random(in: 0..<12, using: &random), [2: .int(Int64(step))])
            pair.tell(side, .storeChanged)
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let side = Int.random(in: 0...1, using: &random)
                if !pair.ends[side].incoming.isEmpty { pair.deliver(side, 60) }
            }
        }
        pair.run()
        pair.pass(milliseconds: 3_000)
        #expect(pair.isEqual)
        #expect(pair.ends.allSatisfy { $0.report.isCaughtUp })
        #expect(pair.ends.map(\.end) == [nil, nil])
    }

    @Test(
        "own commits wait for the state summary of a peer that is sending, so nothing is sent back")
    func echo() {
        var pair = caughtUpPair()
        pair.ends[0].store.write(3, [2: .text("theirs")])
        pair.tell(0, .storeChanged)
        // The batch arrives, its state summary does not.
        let summaryLength = Frame.encode(pair.ends[0].said[1]).count
        let batch = pair.ends[1].incoming.count - summaryLength
        pair.deliver(1, batch)
        pair.ends[1].store.write(4, [2: .text("mine")])
        pair.tell(1, .storeChanged)
        #expect(sentRecords(pair, 1) == [])
        pair.run()
        #expect(sentRecords(pair, 1) == [4])
        #expect(pair.isEqual)
    }

    @Test("they do not wait for ever")
    func echoBound() {
        var pair = caughtUpPair()
        pair.ends[0].store.write(3, [2: .text("theirs")])
        pair.tell(0, .storeChanged)
        let summaryLength = Frame.encode(pair.ends[0].said[1]).count
        pair.deliver(1, pair.ends[1].incoming.count - summaryLength)
        pair.ends[1].store.write(4, [2: .text("mine")])
        pair.tell(1, .storeChanged)
        pair.pass(milliseconds: 1_500, isCut: true)
        #expect(sentRecords(pair, 1).contains(4))
        pair.run()
        #expect(pair.isEqual)
    }

    @Test("what a third replica brought is passed on once")
    func relayed() {
        var pair = caughtUpPair()
        var third = MemoryStore(3)
        third.write(9, [2: .text("nine")])
        var first = pair.ends[0].store
        _ = SessionPair.sync(&third, &first)
        pair.ends[0].store = first
        pair.tell(0, .storeChanged)
        pair.run()
        #expect(sentRecords(pair, 0) == [9])
        #expect(sentRecords(pair, 1) == [])
        #expect(pair.isEqual)
    }

    @Test("quiet sides ping, and stay")
    func pings() {
        var pair = caughtUpPair()
        pair.pass(milliseconds: 120_000)
        #expect(pair.ends.map(\.end) == [nil, nil])
        #expect(pair.kinds(0).contains(7))
        #expect(pair.kinds(0).count < 40)
    }

    @Test("a side that hears nothing gives up")
    func silence() {
        var pair = caughtUpPair()
        pair.pass(milliseconds: 40_000, isCut: true)
        for end in pair.ends {
            guard case .failed(let error, .theirs) = end.end else {
                Issue.record("no timeout")
                return
            }
            #expect(error.known == .timeout)
        }
    }

    @Test("leaving waits for batches on their way, then says so")
    func drain() {
        var pair = caughtUpPair()
        pair.ends[0].store.write(3, [2: .text("three")])
        pair.tell(0, .storeChanged)
        pair.tell(0, .drain)
        #expect(pair.ends[0].end == nil)
        pair.ends[0].store.write(4, [2: .text("too late")])
        pair.tell(0, .storeChanged)
        pair.run()
        #expect(pair.ends.map(\.end) == [.finished, .finished])
        #expect(pair.kinds(0).last == 9)
        #expect(pair.ends[1].store.value(3) == .text("three"))
        #expect(pair.ends[1].store.value(4) == nil)
    }

    @Test("leaving does not wait for ever")
    func drainBound() {
        var pair = caughtUpPair()
        pair.ends[0].store.write(3, [2: .text("three")])
        pair.tell(0, .storeChanged)
        pair.tell(0, .drain)
        pair.pass(milliseconds: 6_000, isCut: true)
        #expect(pair.ends[0].end == .finished)
    }

    @Test("a link that breaks is a loss")
    func lost() {
        var pair = caughtUpPair()
        pair.lose()
        #expect(pair.ends.map(\.end) == [.lost, .lost])
        #expect(pair.ends[0].session.step(.storeChanged, now: pair.now) == [])
    }
}
