import Core
import Session
import TestSupport
import Testing

/// Promise 5: any lost, cut or repeated message heals at the next session.
@Suite("A session that is cut")
struct CutTests {
    /// Two stores that share a past, each with something for the other, and a value that will be missing.
    private func stores() -> (MemoryStore, MemoryStore) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<4 { first.write(UInt64(id), [2: .text("title \(id)")]) }
        second.write(50, [2: .text("theirs")])
        _ = SessionPair.sync(&first, &second)
        second.forget(2)
        first.write(2, [3: .int(3)])
        first.write(60, [2: .text("new")])
        second.write(1, [2: .text("concurrent")])
        first.write(1, [2: .text("concurrent too")])
        second.reopen()
        second.write(61, [2: .text("new as well")])
        return (first, second)
    }

    @Test("at any byte heals in the next session", arguments: [true, false])
    func everyByte(hasGuess: Bool) {
        let (first, second) = stores()
        var whole = SessionPair(first, second, guess: hasGuess ? second.replica : nil)
        whole.open()
        whole.run()
        #expect(whole.isEqual)
        #expect(whole.totalByteCount > 500)
        for cut in 1..<whole.totalByteCount {
            var pair = SessionPair(
                first, second, guess: hasGuess ? second.replica : nil, seed: UInt64(cut))
            pair.pieceMax = 64
            pair.byteCountMax = cut
            pair.open()
            pair.run()
            var (left, right) = (pair.ends[0].store, pair.ends[1].store)
            // Knowledge never runs ahead of the records: each vouched write is there or was forgotten.
            let next =
                cut % 2 == 0
                ? SessionPair.sync(&left, &right) : SessionPair.sync(&right, &left)
            #expect(next.ends.map(\.end) == [.finished, .finished], "cut at \(cut)")
            #expect(next.isEqual, "cut at \(cut)")
            #expect(left.contents == whole.ends[0].store.contents, "cut at \(cut)")
            #expect(!next.ends.contains { $0.report.isDiverged || $0.report.isWithheld })
        }
    }

    @Test("again and again makes progress in the end", arguments: Array(UInt64(1)...10))
    func repeatedly(seed: UInt64) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<300 {
            first.write(UInt64(id), [2: .bytes(Array(repeating: UInt8(id % 251), count: 2_000))])
        }
        var random = TestRandom(seed: seed)
        var sessionCount = 0
        while first.knowledge != second.knowledge, sessionCount < 100 {
            sessionCount += 1
            var limits = SessionLimits()
            limits.batchByteCountMax = 16 * 1024
            var pair = SessionPair(
                first, second, guess: second.replica, limits: limits,
                seed: seed &+ UInt64(sessionCount))
            pair.byteCountMax = Int.random(in: 50_000...150_000, using: &random)
            pair.open()
            pair.run()
            (first, second) = (pair.ends[0].store, pair.ends[1].store)
        }
        #expect(first.contents == second.contents)
        #expect(sessionCount < 20, "checkpoints carry over")
    }
}
