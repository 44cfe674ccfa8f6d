import Core
import Session
import TestSupport
import Testing

@Suite("A session's exchange")
struct ExchangeTests {
    private func stores(_ count: Int) -> (MemoryStore, MemoryStore) {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<UInt64(count) { first.write(id, [2: .text("title \(id)"), 3: .int(1)]) }
        second.write(1_000_000, [2: .text("theirs")])
        return (first, second)
    }

    @Test(
        "equal replicas exchange one round trip of under 300 bytes",
        arguments: [UInt64(0), 100_000, 10_000_000_000])
    func nothingToDo(count: UInt64) {
        var (first, second) = (MemoryStore(1, from: count), MemoryStore(2, from: count))
        for id in 0..<UInt64(300) { first.write(id, [2: .text("title \(id)")]) }
        second.write(1_000_000, [2: .text("theirs")])
        _ = SessionPair.sync(&first, &second)
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.kinds(0) == [1])
        #expect(pair.kinds(1) == [1])
        #expect(pair.totalByteCount < (count > 1 << 32 ? 340 : 300))
        for side in 0...1 {
            #expect(pair.ends[side].end == .finished)
            #expect(pair.ends[side].report.isCaughtUp)
            #expect(
                !pair.ends[side].asked.contains {
                    if case .read = $0 { return true }
                    return false
                }, "no look at the records")
        }
    }

    @Test("a first sync brings everything to both sides", arguments: [UInt64(1), 2, 3, 4, 5])
    func firstSync(seed: UInt64) {
        var (first, second) = stores(500)
        let pair = SessionPair.sync(&first, &second, guess: false, seed: seed)
        #expect(pair.isEqual)
        #expect(pair.ends.map(\.end) == [.finished, .finished])
        #expect(pair.ends[0].report.sentCount == 500)
        #expect(pair.ends[1].report.receivedCount == 500)
        #expect(pair.ends[1].report.changedCount == 500)
        #expect(pair.ends[1].report.sentCount == 1)
        #expect(pair.ends[0].report.peer == second.replica)
        #expect(first.value(1_000_000) == .text("theirs"))
    }

    @Test("messages do not set a timer each")
    func wakes() {
        var (first, second) = stores(500)
        var limits = SessionLimits()
        limits.batchByteCountMax = 500
        first.write(3, [2: .int(1)])
        second.write(4, [2: .int(1)])
        var pair = SessionPair(first, second, limits: limits)
        pair.open()
        pair.run()
        #expect(pair.isEqual)
        for end in pair.ends {
            let wakes = end.asked.filter {
                if case .wake = $0 { return true }
                return false
            }
            #expect(wakes.count <= 2)
        }
    }

    @Test("equal replicas that meet for the first time send no record")
    func firstMeeting() {
        var (first, second) = stores(20)
        var third = MemoryStore(3)
        _ = SessionPair.sync(&first, &second)
        _ = SessionPair.sync(&first, &third)
        let pair = SessionPair.sync(&third, &second, guess: false)
        #expect(pair.ends.map(\.report.sentCount) == [0, 0])
        #expect(pair.kinds(0) == [1, 14, 4])
        #expect(pair.kinds(1) == [1, 4])
    }

    @Test("a wrong guess costs one message and no record")
    func wrongGuess() {
        var (first, second) = stores(20)
        _ = SessionPair.sync(&first, &second)
        var pair = SessionPair(first, second, guess: ReplicaID(value: 99))
        pair.open()
        pair.run()
        #expect(pair.kinds(0) == [1, 14, 4])
        #expect(pair.ends.map(\.end) == [.finished, .finished])
    }

    @Test("concurrent edits of one record meet in both stores")
    func concurrentEdits() {
        var (first, second) = stores(3)
        _ = SessionPair.sync(&first, &second)
        first.write(1, [2: .text("from the first")])
        second.write(1, [3: .int(9)])
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.isEqual)
        #expect(second.value(1) == .text("from the first"))
        #expect(first.value(1, 3) == .int(9))
        #expect(pair.ends.map(\.report.sentCount) == [1, 1])
    }

    @Test("a later sync reads on after the checkpoint, also in a new opening")
    func resume() {
        var (first, second) = stores(50)
        _ = SessionPair.sync(&first, &second)
        first.reopen()
        first.write(7, [2: .text("again")])
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.isEqual)
        let starts = pair.ends[0].asked.compactMap { effect -> ReadRequest.Start? in
            if case .read(let request) = effect { return request.start }
            return nil
        }
        let remembered = Checkpoint(epoch: first.incarnationBefore, sequence: 50)
        #expect(starts.count == 1)
        guard case .checkpoint(let checkpoint?)? = starts.first else {
            Issue.record("no checkpoint")
            return
        }
        #expect(checkpoint.epoch == remembered.epoch)
        #expect(checkpoint.sequence >= remembered.sequence)
        #expect(pair.ends[0].report.sentCount == 1)
    }

    @Test("records known by a third replica are passed over")
    func throughAThird() {
        var (first, second) = stores(30)
        var third = MemoryStore(3)
        _ = SessionPair.sync(&first, &third)
        _ = SessionPair.sync(&third, &second)
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.isEqual)
        #expect(pair.ends[0].report.sentCount == 0)
    }

    @Test("no more batches than the window are on their way")
    func window() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<40 { first.write(UInt64(id), [2: .bytes(Array(repeating: 1, count: 3_000))]) }
        second.write(1_000, [2: .int(1)])
        var limits = SessionLimits()
        limits.batchByteCountMax = 3_500
        limits.windowBatchCount = 4
        var pair = SessionPair(first, second, limits: limits)
        pair.open()
        // Hellos, then state summaries; nothing arrives that the first side sends from there on.
        for side in [1, 0, 1, 0] { pair.deliver(side, 100_000) }
        #expect(pair.kinds(0).filter { $0 == 2 }.count == 4)
        pair.run()
        #expect(pair.kinds(0).filter { $0 == 2 }.count == 40)
        #expect(pair.isEqual)
    }

    @Test("a window is also full by its bytes")
    func windowBytes() {
        var (first, second) = (MemoryStore(1), MemoryStore(2))
        for id in 0..<10 { first.write(UInt64(id), [2: .bytes(Array(repeating: 1, count: 3_000))]) }
        second.write(1_000, [2: .int(1)])
        var limits = SessionLimits()
        limits.batchByteCountMax = 3_500
        limits.windowByteCountMax = 5_000
        var pair = SessionPair(first, second, limits: limits)
        pair.open()
        for side in [1, 0, 1, 0] { pair.deliver(side, 100_000) }
        #expect(pair.kinds(0).filter { $0 == 2 }.count == 2)
        pair.run()
        #expect(pair.isEqual)
    }

    @Test("a sender waits while its link is full")
    func fullLink() {
        let (first, second) = stores(10)
        var pair = SessionPair(first, second)
        pair.open()
        pair.tell(0, .sendQueue(byteCount: 100 * 1024 * 1024))
        pair.run()
        #expect(pair.ends[0].said.allSatisfy { $0.kind != 2 })
        pair.tell(0, .sendQueue(byteCount: 0))
        pair.run()
        #expect(pair.isEqual)
        #expect(pair.ends.map(\.end) == [.finished, .finished])
    }

    @Test("a body of 3 MiB crosses in parts")
    func longBody() {
        var (first, second) = stores(5)
        let long = Dictionary(
            uniqueKeysWithValues: (10..<22).map {
                (UInt32($0), Value.bytes(Array(repeating: UInt8($0), count: 256 * 1024 - 8)))
            })
        first.write(3, long)
        first.write(4, [2: .text("after")])
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.isEqual)
        let parts = pair.ends[0].said.count { $0.kind == 5 }
        #expect(parts == 7)
        #expect(pair.ends.map(\.end) == [.finished, .finished])
    }

    @Test("a value that was left out and is missing is asked for, and nothing is joined before")
    func wants() {
        var (first, second) = stores(5)
        _ = SessionPair.sync(&first, &second)
        second.forget(2)
        first.write(2, [3: .int(2)])
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.kinds(1).contains(6))
        #expect(pair.isEqual)
        #expect(pair.ends.map(\.end) == [.finished, .finished])
        let joins = pair.ends[1].asked.count {
            if case .join = $0 { return true }
            return false
        }
        #expect(joins == 1)
    }

    @Test("a change that cannot be read is set aside, counted, and stops nothing")
    func allDeferred() {
        var (first, second) = stores(5)
        second.unreadable = [RecordName(toDo: RecordID(value: 2))]
        let pair = SessionPair.sync(&first, &second)
        #expect(pair.ends[1].report.deferredCount == 1)
        #expect(pair.ends.map(\.end) == [.finished, .finished])
        #expect(second.value(4) == .text("title 4"))
    }

    @Test("commits during a session do not keep it from ending")
    func commitsMeanwhile() {
        let (first, second) = stores(5)
        var pair = SessionPair(first, second)
        pair.open()
        for step in 0..<200 where pair.ends[0].end == nil {
            pair.ends[0].store.write(UInt64(step), [2: .int(Int64(step))])
            pair.tell(0, .storeChanged)
            if !pair.ends[1].incoming.isEmpty { pair.deliver(1, 200) }
            if !pair.ends[0].incoming.isEmpty { pair.deliver(0, 200) }
        }
        pair.run()
        #expect(pair.ends.map(\.end) == [.finished, .finished])
    }
}

extension MemoryStore {
    fileprivate var incarnationBefore: EpochID { EpochID(value: incarnation.epoch.value - 1) }
}
