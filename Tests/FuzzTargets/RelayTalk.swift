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
    private static let relay = ReplicaID(value: 9)
    /// How many batches the device has sent, the ends of uploads and the like included.
    private var sentCount: UInt64 = 0

    init(_ input: inout FuzzInput) {
        store = MemoryStore(1)
        let past = input.byte()
        for id in 0..<past % 6 { store.write(UInt64(id), [2: .int(1)]) }
        if past & 128 == 128 {
            // It has read this relay before.
            _ = store.integrate(
                IntegrateRequest(
                    changes: [], peer: Self.relay,
                    checkpoint: Checkpoint(epoch: EpochID(value: 5), sequence: 3)))
        }
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
            var reading = store.read(request)
            reading.names = reading.changes.map(\.name)
            return .read(reading)
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
            let entries = request.earlier.map { request.stateSummary.changes(since: $0) }
            let due = (entries ?? request.stateSummary.entries).map {
                DueSummaryRow(content: .entry($0, nil), number: 1, isStated: $0.counter & 1 == 0)
            }
            let stated = due.filter(\.isStated).map {
                SummaryRow(
                    SummaryRow.Key(ReplicaID(value: 1), about: $0.content.about), number: $0.number,
                    bytes: $0.content.bytes)
            }
            return .dueRows(due, stated: stated)
        case .recordUnreadable(let request):
            var answer = UnreadableAnswer()
            answer.uploadedAgainCount = request.versions.marks.count
            answer.isMismatched = !request.versions.unknown.isEmpty
            return .unreadableRecorded(answer)
        case .wake(let time): wake = time
        case .send(let message):
            switch message {
            case .changes, .uploadDone, .unreadable: sentCount += 1
            default: break
            }
        case .report, .close, .noteUploaded, .noteFetched, .leaveRekeyMessages,
            .applyRekeyMessage:
            break
        case .join, .examine, .resolve, .recallHistory, .suspectIdentity, .listMoved,
            .dropCheckpoints:
            preconditionFailure("a relay is no peer")
        }
        return nil
    }

    /// One decision of the fuzzer.
    mutating func step(_ input: inout FuzzInput) throws {
        let choice = input.byte()
        if choice >= 240 { return try stepOfRelay(choice - 240, &input) }
        switch choice % 20 {
        case 0, 1, 2, 3: try tell(.received(Message.encode(input.message())))
        case 4, 5: try tell(.received(.changes(input.batch())))
        case 6, 7:
            try tell(
                .received(
                    .relayHelloReply(
                        RelayHelloReply(
                            relay: Self.relay,
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

    /// One decision about an honest relay, or about the store's answers.
    private mutating func stepOfRelay(_ choice: UInt8, _ input: inout FuzzInput) throws {
        switch choice {
        case 0, 1: try tell(.received(.acknowledge(sentCount)))
        case 2:
            // A relay that has what was read of it before, or less.
            try tell(
                .received(
                    .relayHelloReply(
                        RelayHelloReply(
                            relay: Self.relay,
                            start: Checkpoint(
                                epoch: EpochID(value: 5), sequence: UInt64(input.below(5))),
                            reached: 9, uploaded: input.optional { $0.checkpoint() },
                            rekeyMessages: input.flag() ? [] : nil))))
        case 3, 4:
            try tell(
                .received(
                    .downloadDone(
                        DownloadDone(
                            through: input.checkpoint(), rows: input.summaryRows(),
                            rowSum: input.flag() ? nil : 7))))
        case 5:
            // The store's own records come back, as from a device that has them.
            let reading = store.read(
                ReadRequest(
                    from: .sequence(0), peerHas: PeerHoldings(), isFull: true,
                    byteCountMax: 1 << 20))
            let isDeferred = input.flag()
            let changes = reading.changes.map {
                Change($0.name, clock: $0.clock, body: $0.body, isDeferred: isDeferred)
            }
            try tell(.received(.changes(ChangeBatch(changes: changes, through: nil))))
        case 6: try tell(.received(.unreadable(input.unreadableVersions())))
        case 7: try answer { $0.changed(by: input.byte()) }
        case 8:
            for _ in 0..<20 where !answers.isEmpty && !promises.isClosed { try answer { $0 } }
        case 9: store.unreadable = [RecordName(toDo: RecordID(value: UInt128(input.below(6))))]
        case 10:
            try tell(
                .received(
                    .rekeyMessage(
                        RekeyMessage(
                            generation: 1, verifier: [UInt8](repeating: 1, count: 32),
                            bytes: input.bytes()))))
        default: for message in input.parts() { try tell(.received(message)) }
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
