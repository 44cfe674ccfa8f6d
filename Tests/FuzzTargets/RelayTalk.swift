import Core
import Session
import TestSupport

/// A device's session with a relay: the relay's messages are made up, the store is in memory.
struct RelayTalk: SessionTalk {
    private var session: RelayClientSession
    private var store: MemoryStore
    var promises = SessionPromises(acknowledgesSkipped: true)
    private var now = Instant(milliseconds: 1_000)
    private var wake: Instant?
    var answers: [SessionEvent] = []
    let promptness: Promptness

    init(_ input: inout FuzzInput) {
        store = MemoryStore(1)
        for id in 0..<input.below(6) { store.write(UInt64(id), [2: .int(1)]) }
        promptness = Promptness(rawValue: input.below(4)) ?? .everything
        session = RelayClientSession(
            account: RelayAccount(
                access: input.flag()
                    ? RelayHello.Access(
                        verifier: [UInt8](repeating: 1, count: 32),
                        proof: [UInt8](repeating: 2, count: 64)) : nil, isReader: input.flag()),
            isLive: input.flag(), limits: FuzzTargets.limits(&input),
            guess: input.optional { $0.replica() })
    }

    mutating func effects(of event: SessionEvent) -> [SessionEffect] {
        session.step(event, now: now)
    }

    mutating func run(_ effect: SessionEffect) -> SessionEvent? {
        switch effect {
        case .greet(let peer): return .greeting(store.greeting(for: peer))
        case .read(var request):
            switch request.start {
            case .uploaded(_, let told): request.start = .checkpoint(told)
            case .fetched: request.start = .sequence(0)
            case .checkpoint, .sequence: break
            }
            return .read(store.read(request))
        case .integrate(let request): return .integrated(store.integrate(request))
        case .judge(let request):
            var answer = JudgeAnswer()
            answer.unreadableCount = request.rows.count { $0.bytes.isEmpty }
            answer.joining.hasLearned = request.rows.count == 1
            answer.joining.isRepairDue = request.rows.count == 2
            answer.unopenedCount = request.rows.count
            answer.untold = request.rows.map {
                VersionMark(id: RecordID(value: $0.key.replica.value), hash: 1)
            }
            return .judged(answer)
        case .findDueRows(let request):
            let entries = request.earlier.map { request.statement.changes(since: $0) }
            let due = (entries ?? request.statement.entries).map {
                DueSummaryRow(content: .entry($0, nil), number: 1, isStated: $0.counter & 1 == 0)
            }
            let stated = due.filter(\.isStated).map {
                SummaryRow(
                    SummaryRow.Key(ReplicaID(value: 1), about: $0.content.about), number: $0.number,
                    bytes: $0.content.bytes)
            }
            return .dueRows(due, stated: stated)
        case .settleUnreadable(let request):
            var answer = UnreadableAnswer()
            answer.uploadedAgainCount = request.versions.marks.count
            answer.forgottenCount = request.versions.unknown.count
            return .unreadableSettled(answer)
        case .wake(let time): wake = time
        case .send, .report, .close, .noteUploaded, .noteFetched, .leaveRekeyMessages,
            .applyRekeyMessage:
            break
        case .join, .examine, .settle, .recallHistory, .suspectIdentity, .listMoved,
            .dropCheckpoints:
            preconditionFailure("a relay is no peer")
        }
        return nil
    }

    /// One decision of the fuzzer.
    mutating func step(_ input: inout FuzzInput) throws {
        switch input.below(20) {
        case 0, 1, 2, 3: try tell(.received(Message.encode(input.message())))
        case 4, 5: try tell(.received(.changes(input.batch())))
        case 6, 7:
            try tell(
                .received(
                    .relayHelloReply(
                        RelayHelloReply(
                            relay: ReplicaID(value: 9),
                            start: Checkpoint(epoch: EpochID(value: 5), sequence: 0),
                            reached: input.number(), rekeyMessages: input.flag() ? [] : nil))))
        case 8: try tell(.received(input.bytes()))
        case 9: try passTime(input.number())
        case 10:
            store.write(UInt64(input.below(6)), [2: .int(Int64(input.byte()))])
            try tell(.storeChanged)
        case 11: try tell(.sendQueue(byteCount: input.flag() ? 0 : 1 << 30))
        case 12: try tell(.drain)
        case 13: if input.flag() { try tell(.lost) } else { try tell(.identityChanged) }
        case 14, 15, 16, 17: try answer { $0 }
        default: try answer { $0.refused(isHeld: input.flag()) }
        }
    }

    private mutating func passTime(_ milliseconds: UInt64) throws {
        now = now.advanced(byMilliseconds: Int64(milliseconds & 0xffff) * 10)
        guard let time = wake, time <= now else { return }
        wake = nil
        try tell(.wake)
    }

    /// Lets the store answer, then breaks the link: the session ends.
    mutating func finish() throws {
        for _ in 0..<100 where !answers.isEmpty { try answer { $0 } }
        if !promises.isClosed { try tell(.lost) }
        try promise(promises.isClosed, "a session that outlives its link")
        try promise(session.step(.wake, now: now).isEmpty, "a session that wakes after its end")
    }
}
