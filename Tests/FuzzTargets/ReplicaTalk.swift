import Core
import Replica
import Session
import Simulation
import Storage
import TestSupport

/// A replica with a real store in conversation with an honest peer, whose bytes are changed on the way, and
/// with frames that are made up.
final class ReplicaTalk {
    private let device = FuzzDevice()
    private let store: Store
    private let replica: Replica
    private var id = ConversationID(number: 0)
    private var other = SyncSession(role: .responder, isLive: false)
    private var otherWake: Instant?
    private var otherStore = MemoryStore(2)
    private var incoming: [[UInt8]] = []
    private var decoder = FrameDecoder()
    private var now = Instant(milliseconds: 1_000)
    private var batches: [[Change]] = []
    private var arrived = FrameDecoder()
    private var acknowledgedCount: UInt64 = 0
    /// The changes that were acknowledged in conversations that are over.
    private var acknowledged: [Change] = []
    /// The ids of this replica: what it wrote under a former one may have come to stand under the new one.
    private var ids: Set<ReplicaID> = []
    private var wanted: Set<RecordName> = []
    private var isClosed = false
    /// Whether the whole store is looked through at the end: half of the time that an input takes.
    private let examinesStore: Bool

    init(_ input: inout FuzzInput) throws {
        let manner = input.byte()
        let stored = manner & 128 == 128 ? StoredImage.withoutDeferred : StoredImage.shared
        device.disk.restore(stored.image, .unnoticed)
        store = try device.open(freeDeleteCount: manner & 64 == 64 ? 1 : nil)
        examinesStore = manner & 3 == 0
        for id in 0..<input.below(6) { otherStore.write(UInt64(id), [2: .text("x"), 3: .int(1)]) }
        replica = Replica(store: store)
        if manner & 32 == 32 {
            replica.refusal = { stated, _ in
                stated == ReplicaID(value: 9) ? .outOfOrder("revoked") : nil
            }
        }
        try begin(&input)
        input.own = (store.replica, try store.greeting(to: nil).incarnation.epoch)
    }

    deinit { store.close() }

    /// Begins a conversation.
    private func begin(_ input: inout FuzzInput) throws {
        acknowledged += batches.prefix(Int(acknowledgedCount)).joined()
        (batches, acknowledgedCount, incoming) = ([], 0, [])
        (decoder, arrived) = (FrameDecoder(), FrameDecoder())
        let role: SessionRole = input.flag() ? .initiator : .responder
        other = SyncSession(
            role: role == .initiator ? .responder : .initiator, isLive: input.flag(),
            guess: store.replica)
        hear(other.step(.opened, now: now))
        isClosed = false
        let manner = input.byte()
        let opened = replica.open(
            role, isLive: manner & 1 == 1, guess: manner & 2 == 2 ? otherStore.replica : nil,
            now: now)
        id = opened.conversation
        try take(opened.outputs)
    }

    private func take(_ outputs: [Replica.Output]) throws {
        ids.insert(store.replica)
        try promise(outputs.count <= SessionPromises.effectCountMax, "\(outputs.count) effects")
        for (_, effect) in outputs {
            try promise(!isClosed, "an effect after the end")
            switch effect {
            case .send(let bytes): try pass(bytes)
            case .close: isClosed = true
            case .wake, .report, .fault: break
            }
        }
    }

    /// Passes on what the replica says: it is always a whole message, and the honest peer hears it.
    private func pass(_ bytes: [UInt8]) throws {
        decoder.append(bytes)
        while let message = try decoder.next() {
            switch message {
            case .acknowledge(let count):
                try promise(count <= batches.count, "more is acknowledged than came")
                acknowledgedCount = count
            case .want(let names): wanted.formUnion(names)
            default: break
            }
            hear(other.step(.received(message), now: now))
        }
    }

    private func hear(_ effects: [SessionEffect]) {
        var effects = effects[...]
        for _ in 0..<10_000 {
            guard let effect = effects.popFirst() else { return }
            if let answer = run(effect) { effects += other.step(answer, now: now) }
        }
    }

    private func run(_ effect: SessionEffect) -> SessionEvent? {
        switch effect {
        case .send(let message): incoming.append(Frame.encode(message))
        case .greet(let peer): return .greeting(otherStore.greeting(for: peer))
        case .examine(let found): return .examined(isSuspicious: otherStore.examine(found))
        case .listMoved(let summary): return .moved(otherStore.moved(since: summary))
        case .dropCheckpoints(let peer): otherStore.dropCheckpoints(of: peer)
        case .recallHistory(let peer): return .history(otherStore.history(of: peer))
        case .resolve(let history): return .examined(isSuspicious: otherStore.resolve(history))
        case .suspectIdentity: otherStore.adoptNewID()
        case .read(let request): return .read(otherStore.read(request))
        case .integrate(let request): return .integrated(otherStore.integrate(request))
        case .join(let request): return .joined(otherStore.join(request))
        case .wake(let time): otherWake = time
        default: break
        }
        return nil
    }

    /// Lets bytes arrive, and notes the batches in them.
    private func receive(_ bytes: [UInt8]) throws {
        arrived.append(bytes)
        while let message = try? arrived.next() {
            if case .changes(let batch) = message { batches.append(batch.changes) }
        }
        try take(bytes.withUnsafeBytes { replica.receive(id, $0, now: now) })
    }

    /// One decision of the fuzzer.
    func step(_ input: inout FuzzInput) throws {
        if isClosed { return try begin(&input) }
        let choice = input.byte()
        if choice >= 240 { return try stepOfPeer(choice - 240, &input) }
        switch choice % 16 {
        case 0, 1, 2, 3, 4: if !incoming.isEmpty { try receive(incoming.removeFirst()) }
        case 5: if !incoming.isEmpty { incoming.removeFirst() }
        case 6: if let first = incoming.first { try receive(first) }
        case 7:
            guard !incoming.isEmpty else { return }
            // The frame of what was changed is right: only the message is wrong.
            let (index, change) = (Int(input.byte()), input.byte())
            var payload = Array(incoming.removeFirst().dropFirst(4).dropLast(8))
            payload[index % payload.count] ^= change
            try receive(Frame.encode(payload: payload))
        case 8, 9, 10: try receive(Frame.encode(input.message()))
        case 11: try receive(Frame.encode(payload: input.bytes()))
        case 12: try receive(input.bytes())
        case 13:
            _ = try store.edit { transaction throws(StoreFault) in
                try transaction.insert(
                    [Assignment(.number(2), .text("new"))], into: FuzzDevice.collection)
            }
            try take(replica.noticeChanges(now: now))
        case 14:
            now = now.advanced(byMilliseconds: Int64(input.number() & 0xffff) * 10)
            if let time = otherWake, time <= now {
                otherWake = nil
                hear(other.step(.wake, now: now))
            }
            try take(replica.run(id, .wake, now: now))
        default: try take(replica.run(id, input.flag() ? .drain : .lost, now: now))
        }
    }

    /// One decision about the honest peer, or of the store's owner.
    private func stepOfPeer(_ choice: UInt8, _ input: inout FuzzInput) throws {
        switch choice {
        case 0, 1:
            for _ in 0..<40 where !incoming.isEmpty && !isClosed {
                try receive(incoming.removeFirst())
            }
        case 2:
            otherStore.write(UInt64(input.below(10)), [2: .text("y")])
            hear(other.step(.storeChanged, now: now))
        case 3:
            otherStore.delete(input.below(20), purges: input.flag())
            hear(other.step(.storeChanged, now: now))
        case 4:
            otherStore.know(1 + UInt64(input.below(4)), of: writer(&input))
            hear(other.step(.storeChanged, now: now))
        case 5: otherStore.forget(UInt64(input.below(10)))
        case 6:
            _ = try store.acceptDeletes()
            try take(replica.noticeChanges(now: now))
        case 7:
            _ = try store.refuseDeletes()
            try take(replica.noticeChanges(now: now))
        case 8:
            // Both took one name for two writes.
            let name = RecordName(toDo: RecordID(value: UInt128(input.below(10))))
            guard var entry = otherStore.records[name], !entry.record.writes.isEmpty else { return }
            entry.record.writes[0].assignments = [Assignment(.number(2), .text("z"))]
            otherStore.put(entry.record, name)
            hear(other.step(.storeChanged, now: now))
        case 9:
            var hello = input.hello()
            (hello.space, hello.policy, hello.replica) = (
                MemoryStore.space, .deletesWin, store.replica
            )
            try receive(Frame.encode(.hello(hello)))
        case 10:
            otherStore.adoptNewID()
            hear(other.step(.identityChanged, now: now))
        case 11: otherStore.reopen()
        case 12: otherStore.hasNoList.toggle()
        case 13:
            otherStore.unreadable = [RecordName(toDo: RecordID(value: UInt128(input.below(10))))]
        case 14: try take(replica.run(id, .lost, now: now))
        default:
            otherStore.takeDeletes()
            hear(other.step(.storeChanged, now: now))
        }
    }

    /// A replica with writes in the store, or another one.
    private func writer(_ input: inout FuzzInput) -> ReplicaID {
        switch input.below(4) {
        case 0: ReplicaID(value: 77)
        case 1: store.replica
        case 2: otherStore.replica
        default: input.replica()
        }
    }

    /// Whether a version came without values that the store lacks: it is asked for later, and until it came no checkpoint is
    /// written.
    private func isToBeAskedFor(_ change: Change, _ clock: VersionVector?) -> Bool {
        guard let record = try? change.record() else { return false }
        return record.writes.contains { write in
            write.assignments.contains(where: \.value.isElided) && clock?.covers(write.dot) != true
        }
    }

    /// Breaks the link, and looks whether all that was acknowledged is in the store, and the store whole.
    func finish() throws {
        for _ in 0..<100 where !incoming.isEmpty && !isClosed {
            try receive(incoming.removeFirst())
        }
        if !isClosed { try take(replica.run(id, .lost, now: now)) }
        try promise(isClosed && replica.conversationCount == 0, "a conversation outlives its link")
        let reading = try store.read(
            from: .sequence(0), peerHas: PeerHoldings(), isFull: true, byteCountMax: 1 << 24)
        var clocks: [RecordID: VersionVector] = [:]
        for change in reading.changes {
            clocks[change.id, default: VersionVector()].join(change.clock)
        }
        acknowledged += batches.prefix(Int(acknowledgedCount)).joined()
        ids.remove(store.replica)
        for change in acknowledged
        where !wanted.contains(change.name)
            && !isToBeAskedFor(change, clocks[change.id])
            && change.clock.entries.allSatisfy({ !ids.contains($0.replica) })
        {
            try promise(
                clocks[change.id]?.covers(change.clock) == true,
                """
                record \(change.id) was acknowledged with \(change.clock), and the store has \
                \(clocks[change.id] ?? VersionVector())
                """)
        }
        guard examinesStore else { return }
        let findings = try store.examine()
        try promise(findings.isEmpty, "the store is damaged: \(findings)")
    }
}
