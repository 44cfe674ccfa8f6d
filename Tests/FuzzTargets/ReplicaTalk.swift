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
    private let id: ConversationID
    private var other: SyncSession
    private var otherStore = MemoryStore(2)
    private var incoming: [[UInt8]] = []
    private var decoder = FrameDecoder()
    private var now = Instant(milliseconds: 1_000)
    private var batches: [[Change]] = []
    private var arrived = FrameDecoder()
    private var acknowledgedCount: UInt64 = 0
    private var wanted: Set<RecordName> = []
    private(set) var isClosed = false
    /// Whether the whole store is looked through at the end: half of the time that an input takes.
    private let examinesStore: Bool

    init(_ input: inout FuzzInput) throws {
        device.disk.restore(StoredImage.shared.image, .unnoticed)
        store = try device.open()
        examinesStore = input.below(4) == 0
        for id in 0..<input.below(6) { otherStore.write(UInt64(id), [2: .text("x"), 3: .int(1)]) }
        replica = Replica(store: store)
        let role: SessionRole = input.flag() ? .initiator : .responder
        other = SyncSession(
            role: role == .initiator ? .responder : .initiator, isLive: input.flag())
        let opened = replica.open(role, isLive: input.flag(), now: now)
        id = opened.conversation
        try take(opened.outputs)
        hear(other.step(.opened, now: now))
    }

    deinit { store.close() }

    private func take(_ outputs: [Replica.Output]) throws {
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
        case .settle(let history): return .examined(isSuspicious: otherStore.settle(history))
        case .suspectIdentity: otherStore.adoptNewID()
        case .read(let request): return .read(otherStore.read(request))
        case .integrate(let request): return .integrated(otherStore.integrate(request))
        case .join(let request): return .joined(otherStore.join(request))
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
        switch input.below(16) {
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
            try take(replica.run(id, .wake, now: now))
        default: try take(replica.run(id, input.flag() ? .drain : .lost, now: now))
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
        for change in batches.prefix(Int(acknowledgedCount)).joined()
        where !wanted.contains(change.name) {
            try promise(
                clocks[change.id]?.covers(change.clock) == true,
                "record \(change.id) was acknowledged, and is not in the store")
        }
        guard examinesStore else { return }
        let findings = try store.examine()
        try promise(findings.isEmpty, "the store is damaged: \(findings)")
    }
}
