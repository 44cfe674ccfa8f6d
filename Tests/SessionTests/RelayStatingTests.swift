import Core
import Session
import TestSupport
import Testing

@Suite("When a live device states its summary at a relay")
struct RelayStatingTests {
    /// A session on a store in memory, and what it asks and says.
    private struct Desk {
        var session = RelayClientSession(account: RelayAccount(), isLive: true)
        var store = MemoryStore(1)
        var now = Instant(milliseconds: 1_000)
        var asked: [DueRowsRequest] = []
        var judged: [JudgeRequest] = []
        var sent: [Message] = []
        var wake: Instant?
        var report = SessionReport()
        /// The rows that the store finds due.
        var rowCount = 1

        /// Runs an event and all that follows from it.
        mutating func run(_ event: SessionEvent) {
            var events = [event]
            while !events.isEmpty {
                for effect in session.step(events.removeFirst(), now: now) {
                    switch effect {
                    case .greet(let peer): events.append(.greeting(store.greeting(for: peer)))
                    case .read(var request):
                        request.start = .sequence(0)
                        events.append(.read(store.read(request)))
                    case .judge(let request):
                        judged.append(request)
                        events.append(.judged(JudgeAnswer()))
                    case .findDueRows(let request):
                        asked.append(request)
                        events.append(.dueRows([], stated: Self.rows(rowCount)))
                    case .send(let message): sent.append(message)
                    case .report(let report): self.report = report
                    case .wake(let time): wake = time
                    default: continue
                    }
                }
            }
        }

        mutating func hear(_ message: Message) {
            run(.received(message))
        }

        mutating func pass(milliseconds: Int64) {
            now = now.advanced(byMilliseconds: milliseconds)
            run(.wake)
        }

        static func rows(_ count: Int) -> [SummaryRow] {
            (0..<count).map {
                SummaryRow(
                    SummaryRow.Key(ReplicaID(value: 1), about: ReplicaID(value: UInt128($0))),
                    number: 1, bytes: [1])
            }
        }

        static func end(_ sequence: UInt64, sum: UInt128?) -> Message {
            let through = Checkpoint(epoch: EpochID(value: 5), sequence: sequence)
            return .downloadDone(DownloadDone(through: through, rowSum: sum))
        }

        /// Greets, and uploads all but the end.
        mutating func start() {
            store.write(1, [2: .int(1)])
            run(.opened)
            hear(
                .relayHelloReply(
                    RelayHelloReply(
                        relay: ReplicaID(value: 9),
                        start: Checkpoint(epoch: EpochID(value: 5), sequence: 0), reached: 0)))
        }

        /// Acknowledges all that was sent so far.
        mutating func acknowledge() {
            let count = sent.count { [2, 22].contains($0.kind) }
            hear(.acknowledge(UInt64(count)))
        }
    }

    @Test("nothing is stated before the end of the first run, which may come in several messages")
    func afterTheRun() {
        var desk = Desk()
        desk.start()
        desk.hear(Desk.end(3, sum: nil))
        #expect(desk.judged.count == 1 && desk.asked.isEmpty)
        desk.hear(Desk.end(4, sum: 7))
        #expect(desk.judged.map(\.rowSum) == [nil, 7])
        #expect(desk.asked.count == 1 && desk.sent.last?.kind == 22)
        // Later sums may be from before the rows of this device.
        desk.hear(Desk.end(5, sum: 8))
        #expect(desk.judged.map(\.rowSum) == [nil, 7, nil])
    }

    @Test("a whole summary comes first, then what this device writes, and all again after 30 s")
    func wholeAgain() throws {
        #expect(SessionLimits().wholeStatingMilliseconds == 30_000)
        var desk = Desk()
        desk.start()
        desk.hear(Desk.end(4, sum: 7))
        desk.acknowledge()
        #expect(desk.asked.map(\.withOthers) == [true] && desk.asked[0].earlier == nil)
        for value in 2...4 {
            desk.now = desk.now.advanced(byMilliseconds: 1_000)
            desk.store.write(1, [2: .int(Int64(value))])
            desk.run(.storeChanged)
            desk.acknowledge()
        }
        #expect(desk.asked.map(\.withOthers) == [true, false, false, false])
        desk.pass(milliseconds: 26_999)
        #expect(desk.asked.count == 4)
        let wake = try #require(desk.wake)
        #expect(wake <= desk.now.advanced(byMilliseconds: 1))
        desk.pass(milliseconds: 1)
        #expect(desk.asked.map(\.withOthers) == [true, false, false, false, true])
        #expect(desk.asked.last?.earlier == desk.asked.first?.stateSummary)
        #expect(desk.asked.last?.stateSummary == desk.asked[3].stateSummary)
        // Nothing moves: nothing is asked again.
        desk.acknowledge()
        desk.pass(milliseconds: 5_000)
        #expect(desk.asked.count == 5)
    }

    @Test("an end without rows is told only where the relay does not know of it")
    func endWithoutRows() {
        var desk = Desk()
        desk.rowCount = 0
        desk.start()
        desk.hear(Desk.end(4, sum: 7))
        #expect(desk.sent.count { $0.kind == 22 } == 1)
        desk.acknowledge()
        desk.store.write(1, [2: .int(2)])
        desk.run(.storeChanged)
        #expect(desk.sent.count { $0.kind == 22 } == 1)
    }

    @Test("many rows leave as the window has room")
    func window() {
        var desk = Desk()
        desk.rowCount = 40 * WireLimits.summaryRowCountMax
        desk.start()
        desk.hear(Desk.end(4, sum: 7))
        let most = WireLimits.windowBatchCount
        #expect(desk.sent.count { [2, 22].contains($0.kind) } == most)
        for _ in 0..<4 { desk.acknowledge() }
        let ends = desk.sent.filter { $0.kind == 22 }
        #expect(ends.count == 40)
        #expect(desk.report.storedThrough != nil)
    }
}
