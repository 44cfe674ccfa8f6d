import Core
import Session
import TestSupport
import Testing

@Suite("What a relay says to its client out of turn")
struct RelayClientFaultTests {
    private static let reply = Message.relayHelloReply(
        RelayHelloReply(
            relay: ReplicaID(value: 9), start: Checkpoint(epoch: EpochID(value: 5), sequence: 0),
            reached: 3))

    /// How a session with a store of one record ends, and its report, when a relay says these messages.
    private func end(
        hearing messages: [Message], isLive: Bool = false
    ) -> (end: SessionEnd?, report: SessionReport) {
        var session = RelayClientSession(account: RelayAccount(), isLive: isLive)
        var store = MemoryStore(1)
        store.write(1, [2: .int(1)])
        var end: SessionEnd?
        var report = SessionReport()
        var events: [SessionEvent] = [.opened] + messages.map { .received($0) }
        while !events.isEmpty, end == nil {
            let event = events.removeFirst()
            var answers: [SessionEvent] = []
            for effect in session.step(event, now: Instant(milliseconds: 1_000)) {
                switch effect {
                case .greet(let peer): answers.append(.greeting(store.greeting(for: peer)))
                case .read(var request):
                    request.start = .sequence(0)
                    answers.append(.read(store.read(request)))
                case .judge: answers.append(.judged(JudgeAnswer()))
                case .findDueRows: answers.append(.dueRows([], stated: []))
                case .report(let found): report = found
                case .close(let found): end = found
                default: continue
                }
            }
            events = answers + events
        }
        return (end, report)
    }

    @Test(
        "a pong that answers no ping is refused, before its greeting and behind it",
        arguments: [true, false])
    func unaskedPong(isLive: Bool) {
        for messages: [Message] in [
            [.pong(0)], [.pong(1)], [Self.reply, .pong(0)], [Self.reply, .pong(7)],
        ] {
            guard case .failed(let error, .theirs)? = end(hearing: messages, isLive: isLive).end
            else {
                Issue.record("\(messages) were taken")
                continue
            }
            #expect(error.known == .outOfOrder)
        }
        #expect(end(hearing: [Self.reply], isLive: isLive).end == nil)
    }

    @Test("a bye before its greeting or before download-done ends a session that is not caught up")
    func earlyBye() {
        for messages: [Message] in [[.bye], [Self.reply, .bye]] {
            let (end, report) = end(hearing: messages)
            #expect(end == .finished)
            #expect(!report.isCaughtUp)
        }
    }
}
