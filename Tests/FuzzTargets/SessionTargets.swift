import Core
import Session
import TestSupport

extension FuzzTargets {
    /// The session machines alone, with a store in memory: fast enough for millions of conversations.
    static let sessions = [peerSessions, relayClients]

    private static let sessionFiles = [
        "Peer/PeerState", "Peer/SummaryComparison", "Peer/SummaryLists", "Peer/SyncSession",
        "Peer/SyncSession+Exchange", "Peer/SyncSession+Greeting",
    ].map { "Sources/Session/\($0).swift" }

    /// The sources of both kinds of sessions.
    private static let commonFiles = ["Outbound", "ReceiveQueue", "SessionCore", "SessionErrors"]
        .map { "Sources/Session/\($0).swift" }

    /// A session with a peer: an honest one, what it says changed on the way, and messages that are made up.
    private static let peerSessions = FuzzTarget(
        "sessions", byteCountMax: 400, decoders: sessionFiles + commonFiles
    ) { bytes in
        var input = FuzzInput(bytes)
        var talk = PeerTalk(&input)
        try talk.tell(.opened)
        for _ in 0..<400 where !input.isEmpty && !talk.promises.isClosed { try talk.step(&input) }
        try talk.finish()
    }

    /// A device's session with a relay, all of whose messages are made up.
    private static let relayClients = FuzzTarget(
        "relay-clients", byteCountMax: 400,
        decoders: [
            "Sources/Session/RelayClient/RelayClientSession.swift",
            "Sources/Session/RelayClient/RelayClientSession+Exchange.swift",
            "Sources/Session/RelayClient/RelayClientState.swift",
        ] + commonFiles
    ) { bytes in
        var input = FuzzInput(bytes)
        var talk = RelayTalk(&input)
        try talk.tell(.opened)
        for _ in 0..<400 where !input.isEmpty && !talk.promises.isClosed { try talk.step(&input) }
        try talk.finish()
    }

    /// Limits that a short input comes to.
    static func limits(_ input: inout FuzzInput) -> SessionLimits {
        var limits = SessionLimits()
        guard input.flag() else { return limits }
        limits.windowBatchCount = 2
        limits.batchByteCountMax = 60
        limits.windowByteCountMax = 200
        limits.receivedByteCountMax = 400
        limits.wantedPerReadMax = 1
        limits.missingRecordCountMax = 2
        limits.wantedPerMessageMax = 1
        limits.echoCountMax = 2
        limits.lackingCountMax = 1
        limits.downloadDoneCountMax = 2
        return limits
    }
}

extension SessionEvent {
    /// The event of bytes that are one message, or none.
    static func received(_ bytes: [UInt8]) -> SessionEvent {
        do throws(WireFault) {
            return .received(try Message.decode(bytes))
        } catch {
            return .undecodable(error)
        }
    }

    /// The same answer with other findings of the store.
    func changed(by manner: UInt8) -> SessionEvent {
        let name = RecordName(toDo: RecordID(value: UInt128(manner % 6)))
        switch self {
        case .greeting(var greeting):
            if manner & 1 == 1 { greeting.isRepairDue = true }
            if manner & 2 == 2 { greeting.replica = ReplicaID(value: greeting.replica.value + 1) }
            return .greeting(greeting)
        case .integrated(var answer, let unreadableCount):
            if manner & 8 == 8 { answer.wanted.append(name) }
            if manner & 16 == 16 { answer.changedCount += 1 }
            if manner & 32 == 32 {
                answer.hasMergedUnheld = true
                answer.held = Self.heldDeletes
            }
            return .integrated(answer, unreadableCount: unreadableCount)
        case .judged(var answer):
            answer.joining = answer.joining.changed(by: manner)
            if manner & 1 == 1 { answer.seen[ReplicaID(value: 2)] = UInt64(manner) }
            return .judged(answer)
        case .joined(let joining): return .joined(joining.changed(by: manner))
        case .dueRows(let rows, let stated):
            return manner & 1 == 1
                ? .dueRows(rows, stated: []) : .dueRows([], stated: stated)
        case .moved: return .moved(nil)
        case .examined: return .examined(isSuspicious: manner & 1 == 1)
        default: return self
        }
    }

    private static var heldDeletes: HeldDeletes {
        HeldDeletes(
            peer: ReplicaID(value: 1), deletedCount: 30, takenCount: 0, liveCount: 40, since: 0,
            snapshot: "")
    }

    /// The same answer from a store that fails, or that holds deletes.
    func refused(isHeld: Bool) -> SessionEvent {
        guard isHeld, case .integrated = self else {
            return .storeFailed(.outOfOrder("a full disk"))
        }
        return .integrated(Integration(held: Self.heldDeletes))
    }
}

extension Joining {
    /// The same findings but for some.
    fileprivate func changed(by manner: UInt8) -> Joining {
        var joining = self
        if manner & 2 == 2 { joining.isMismatched = true }
        if manner & 4 == 4 { joining.isWithheld = true }
        if manner & 8 == 8 { joining.isDiverged = true }
        if manner & 16 == 16 { joining.isRepairDue = true }
        if manner & 32 == 32 { joining.hasLearned = true }
        if manner & 64 == 64 { joining.isDiverged = false }
        return joining
    }
}

/// The session under test and an honest peer, with what is on its way between them.
private struct PeerTalk: SessionTalk {
    private var session: SyncSession
    private var store: MemoryStore
    private var other: SyncSession
    private var otherStore: MemoryStore
    var promises = SessionPromises()
    private var now = Instant(milliseconds: 1_000)
    private var wake: Instant?
    private var otherWake: Instant?
    /// Messages on their way to the session under test, and from it.
    private var incoming: [Message] = []
    private var outgoing: [Message] = []
    var answers: [SessionEvent] = []
    let promptness: Promptness

    init(_ input: inout FuzzInput) {
        store = MemoryStore(1)
        otherStore = MemoryStore(2)
        let (past, otherPast) = (input.byte(), input.byte())
        for id in 0..<past % 6 { store.write(UInt64(id), [2: .int(1)]) }
        for id in 0..<otherPast % 6 {
            otherStore.write(UInt64(id), [2: .text("x"), 3: .int(Int64(id))])
        }
        // So many ids that summaries are compared in parts.
        if past & 64 == 64 {
            for number in 0..<UInt128(40) {
                let id = ReplicaID(value: (number << 121) + number * 0x1_0000_0003)
                store.know(1, of: id)
                if number % 10 != 7 { otherStore.know(1, of: id) }
            }
        }
        if past & 128 == 128 {
            Self.acquaint(&store, &otherStore)
            store.write(6, [2: .int(1)])
            store.reopen()
        }
        if otherPast & 64 == 64 { otherStore.write(7, [2: .int(2)]) }
        if otherPast & 128 == 128 { otherStore.know(3, of: ReplicaID(value: 9)) }
        // The same record and clock with two contents calls for a full exchange.
        if input.flag(), let entry = otherStore.records[RecordName(toDo: RecordID(value: 0))] {
            var record = entry.record
            record.writes[0].assignments[0] = Assignment(.number(2), .int(7))
            store.put(record, RecordName(toDo: RecordID(value: 0)))
        }
        if input.flag() { store.unreadable = [RecordName(toDo: RecordID(value: 1))] }
        promptness = Promptness(rawValue: input.below(4)) ?? .everything
        let role: SessionRole = input.flag() ? .initiator : .responder
        let isLive = input.flag()
        let limits = FuzzTargets.limits(&input)
        session = SyncSession(
            role: role, isLive: isLive, limits: limits,
            guess: input.optional { $0.replica() })
        other = SyncSession(
            role: role == .initiator ? .responder : .initiator, isLive: input.flag(), limits: limits
        )
        hear(other.step(.opened, now: now))
    }

    /// Lets two stores sync once, so that each remembers how far it has read the other.
    private static func acquaint(_ store: inout MemoryStore, _ otherStore: inout MemoryStore) {
        var stores = [store, otherStore]
        var sessions = [
            SyncSession(role: .initiator, isLive: false, limits: SessionLimits(), guess: nil),
            SyncSession(role: .responder, isLive: false, limits: SessionLimits(), guess: nil),
        ]
        var events: [(Int, SessionEvent)] = [(0, .opened), (1, .opened)]
        var wake: Instant?
        for _ in 0..<1_000 where !events.isEmpty {
            let (side, event) = events.removeFirst()
            for effect in sessions[side].step(event, now: Instant(milliseconds: 1_000)) {
                var sent: [Message] = []
                if let answer = run(effect, &stores[side], &wake, &sent) {
                    events.append((side, answer))
                }
                for message in sent { events.append((1 - side, .received(message))) }
            }
        }
        (store, otherStore) = (stores[0], stores[1])
    }

    mutating func effects(of event: SessionEvent) -> [SessionEffect] {
        session.step(event, now: now)
    }

    mutating func run(_ effect: SessionEffect) -> SessionEvent? {
        Self.run(effect, &store, &wake, &outgoing)
    }

    /// Runs the effects of the honest peer, whose store answers at once.
    private mutating func hear(_ effects: [SessionEffect]) {
        var effects = effects[...]
        for _ in 0..<10_000 {
            guard let effect = effects.popFirst() else { return }
            if let answer = Self.run(effect, &otherStore, &otherWake, &incoming) {
                effects += other.step(answer, now: now)
            }
        }
    }

    private static func run(
        _ effect: SessionEffect, _ store: inout MemoryStore, _ wake: inout Instant?,
        _ sent: inout [Message]
    ) -> SessionEvent? {
        switch effect {
        case .send(let message): sent.append(message)
        case .greet(let peer): return .greeting(store.greeting(for: peer))
        case .examine(let found): return .examined(isSuspicious: store.examine(found))
        case .listMoved(let summary): return .moved(store.moved(since: summary))
        case .dropCheckpoints(let peer): store.dropCheckpoints(of: peer)
        case .recallHistory(let peer): return .history(store.history(of: peer))
        case .resolve(let history): return .examined(isSuspicious: store.resolve(history))
        case .suspectIdentity: store.adoptNewID()
        case .read(let request): return .read(store.read(request))
        case .integrate(let request): return .integrated(store.integrate(request))
        case .join(let request): return .joined(store.join(request))
        case .wake(let time): wake = time
        case .report, .close: break
        case .judge, .recordUnreadable, .findDueRows, .noteUploaded, .noteFetched,
            .leaveRekeyMessages,
            .applyRekeyMessage:
            preconditionFailure("a peer is no relay")
        }
        return nil
    }

    private mutating func receive(_ bytes: [UInt8]) throws { try tell(.received(bytes)) }

    /// One decision of the fuzzer.
    mutating func step(_ input: inout FuzzInput) throws {
        let choice = input.byte()
        if choice >= 240 { return try stepOfPeer(choice - 240, &input) }
        switch choice % 24 {
        case 0, 1, 2, 3: try deliver { $0 }
        case 4: if !incoming.isEmpty { incoming.removeFirst() }
        case 5: if let first = incoming.first { try receive(Message.encode(first)) }
        case 6, 7:
            let (index, change) = (Int(input.byte()), input.byte())
            try deliver { bytes in
                var bytes = bytes
                bytes[index % bytes.count] ^= change
                return bytes
            }
        case 8, 9, 10: try receive(Message.encode(input.message()))
        case 11:
            for message in input.parts() where !promises.isClosed {
                try receive(Message.encode(message))
            }
        case 12: try receive(input.bytes())
        case 13, 14, 15: passToPeer()
        case 16: try passTime(input.number())
        case 17:
            store.write(UInt64(input.below(6)), [2: .int(Int64(input.byte()))])
            try tell(.storeChanged)
        case 18: try tell(.sendQueue(byteCount: input.flag() ? 0 : 1 << 30))
        case 19: try tell(.drain)
        case 20:
            store.adoptNewID()
            try tell(.identityChanged)
        case 21: if input.flag() { try tell(.lost) } else { try tell(.refused(.outOfOrder("no"))) }
        case 22: try answer { $0 }
        default: try answer { $0.refused(isHeld: input.flag()) }
        }
    }

    /// One decision about the honest peer, or about what the stores are like.
    private mutating func stepOfPeer(_ choice: UInt8, _ input: inout FuzzInput) throws {
        switch choice {
        case 0, 1:
            otherStore.write(UInt64(input.below(6)), [2: .int(Int64(input.byte()))])
            hear(other.step(.storeChanged, now: now))
        case 2:
            otherStore.know(1 + UInt64(input.below(4)), of: input.replica())
            hear(other.step(.storeChanged, now: now))
        case 3: otherStore.forget(UInt64(input.below(6)))
        case 4: (store.hasNoList, otherStore.hasNoList) = (input.flag(), input.flag())
        case 5: store.refusesUnion.toggle()
        case 6:
            // Both write to one record, and each takes its own write for the other's.
            let name = RecordName(toDo: RecordID(value: UInt128(input.below(6))))
            guard var entry = otherStore.records[name], !entry.record.writes.isEmpty else { return }
            entry.record.writes[0].assignments = [Assignment(.number(2), .int(7))]
            store.put(entry.record, name)
            try tell(.storeChanged)
        case 7:
            otherStore.adoptNewID()
            hear(other.step(.identityChanged, now: now))
        case 8: for _ in 0..<20 { try deliver { $0 } }
        case 9:
            // All that is on its way either way, until nothing is left.
            for _ in 0..<20 where !promises.isClosed {
                passToPeer()
                if incoming.isEmpty { break }
                while !incoming.isEmpty, !promises.isClosed { try deliver { $0 } }
            }
        case 10: store.unreadable = [RecordName(toDo: RecordID(value: UInt128(input.below(6))))]
        case 11: try answer { $0.changed(by: input.byte()) }
        case 12: hear(other.step(.drain, now: now))
        default: store.know(1 + UInt64(input.below(4)), of: input.replica())
        }
    }

    private mutating func deliver(_ change: ([UInt8]) -> [UInt8]) throws {
        if !incoming.isEmpty { try receive(change(Message.encode(incoming.removeFirst()))) }
    }

    private mutating func passToPeer() {
        for message in outgoing { hear(other.step(.received(message), now: now)) }
        outgoing = []
    }

    private mutating func passTime(_ milliseconds: UInt64) throws {
        now = now.advanced(byMilliseconds: Int64(milliseconds & 0xffff) * 10)
        if let time = otherWake, time <= now {
            otherWake = nil
            hear(other.step(.wake, now: now))
        }
        if let time = wake, time <= now {
            wake = nil
            try tell(.wake)
        }
    }

    /// Lets all that is on its way arrive, then breaks the link: the session ends.
    mutating func finish() throws {
        for _ in 0..<50 where !promises.isClosed {
            while !answers.isEmpty { try answer { $0 } }
            passToPeer()
            if incoming.isEmpty { break }
            while !incoming.isEmpty { try deliver { $0 } }
        }
        if !promises.isClosed { try tell(.lost) }
        try promise(promises.isClosed, "a session that outlives its link")
        try promise(session.step(.wake, now: now).isEmpty, "a session that wakes after its end")
    }
}
