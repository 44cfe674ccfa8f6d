import Core
import Relay
import Session
import Simulation
import Storage
import TestSupport

extension FuzzTargets {
    /// The relay's side: whole conversations of several devices, all of whose bytes are foreign.
    static let relays = [
        FuzzTarget(
            "relays", byteCountMax: 1024,
            decoders: [
                "RelayServerSession", "RelayServerSession+Receiving", "RelayServerSession+Sending",
                "RelayEngine", "RelayEngine+Admission", "RelayEngine+Commit", "RelayEngine+Held",
            ].map { "Sources/Relay/Engine/\($0).swift" }
        ) { bytes in
            var input = FuzzInput(bytes)
            let talk = try RelayEngineTalk(&input)
            for _ in 0..<200 where !input.isEmpty { try talk.step(&input) }
            try talk.finish()
        }
    ]
}

/// A relay with a store on a disk in memory, and three links to it.
private final class RelayEngineTalk {
    private struct Device {
        let id: RelayServerSessionID
        var decoder = FrameDecoder()
        var arrived = FrameDecoder()
        var batches: [[Change]] = []
        var acknowledgedCount: UInt64 = 0
        /// The space of its first greeting, the only one that counts.
        var space: SpaceID?
        var isClosed = false
    }

    /// Trusts every proof that begins with a 1.
    private struct Access: RelayAccess {
        func verify(
            verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
            channelBinding: [UInt8]?
        ) -> Bool { proof.first == 1 }

        func verifySuccession(
            verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
            succession: [UInt8]
        ) -> Bool { succession.first == 1 }
    }

    private let device = FuzzDevice()
    private let store: SQLiteRelayStore
    private let engine: RelayEngine
    private var devices: [Device] = []
    private var now = Instant(milliseconds: 1_000)
    /// Whether a later secret may have dropped what was there.
    private var hasRekeyed = false

    init(_ input: inout FuzzInput) throws {
        var options = RelayOptions(folder: "/relay")
        options.allowsPlainSpaces = true
        if input.flag() { options.token = "1" }
        if input.flag() {
            // A device that the operator has put out; another one may be the same with another key.
            options.putOut = [
                RelayPutOut(space: MemoryStore.space, generation: 1, fingerprint: [2])
            ]
        }
        if input.flag() {
            options.limits.windowBatchCount = 2
            options.limits.spaceRecordCountMax = 2
            options.limits.recordVersionCountMax = 2
            options.limits.spaceCountMax = 1
            options.limits.spaceSessionCountMax = 2
            options.limits.batchByteCountMax = 40
            options.limits.queuedByteCountMax = 200
            options.limits.heldByteCountMax = 400
            options.limits.failedProofsPerMinuteMax = 2
            options.limits.deviceSessionCountMax = 1
            options.limits.sessionCountMax = 8
            options.limits.windowByteCountMax = 100
            options.limits.receivedByteCountMax = 300
            options.limits.sendQueueByteCountMax = 200
        }
        store = try SQLiteRelayStore(
            in: "/relay", limits: options.limits, environment: device.environment)
        engine = RelayEngine(options: options, access: Access(), store: store)
        for _ in 0..<3 { try open(input.byte()) }
    }

    private func open(_ manner: UInt8) throws {
        let fingerprint = manner & 3
        let (id, outputs) = engine.open(
            RelayChannel(
                address: "10.0.0.\(devices.count % 4)",
                visitor: fingerprint == 0
                    ? nil : RelayVisitor(fingerprint: [fingerprint], day: 20_000)), now: now)
        devices.append(Device(id: id))
        try take(outputs)
    }

    private func take(_ outputs: [RelayEngine.Output]) throws {
        try promise(outputs.count <= 1_000, "\(outputs.count) effects of one event")
        for (id, effect) in outputs {
            guard let index = devices.firstIndex(where: { $0.id == id }) else { continue }
            switch effect {
            case .send(let bytes):
                try promise(!devices[index].isClosed, "something is sent after the end")
                devices[index].decoder.append(bytes)
                while let message = try devices[index].decoder.next() {
                    if case .acknowledge(let count) = message {
                        devices[index].acknowledgedCount = count
                    }
                }
            case .close: devices[index].isClosed = true
            case .wake, .log: break
            }
        }
    }

    private func receive(_ index: Int, _ bytes: [UInt8]) throws {
        devices[index].arrived.append(bytes)
        while let message = try? devices[index].arrived.next() {
            switch message {
            case .changes(let batch): devices[index].batches.append(batch.changes)
            // An acknowledgement counts these as well.
            case .uploadDone, .rekeyMessage, .unreadable: devices[index].batches.append([])
            case .relayHello(let hello):
                if devices[index].space == nil { devices[index].space = hello.space }
                if hello.generation > 0 { hasRekeyed = true }
            default: break
            }
        }
        try take(engine.receive(devices[index].id, bytes, now: now))
    }

    /// One decision of the fuzzer.
    func step(_ input: inout FuzzInput) throws {
        let index = devices.count - 1 - input.below(min(3, devices.count))
        let id = devices[index].id
        switch input.below(16) {
        case 0, 1: try receive(index, Frame.encode(.relayHello(approach(&input, index))))
        case 2, 3, 4: try receive(index, Frame.encode(.changes(relayed(input.batch()))))
        case 5, 6: try receive(index, Frame.encode(input.message()))
        case 7:
            for message in input.parts(in: .relayed) { try receive(index, Frame.encode(message)) }
        case 8: try receive(index, Frame.encode(payload: input.bytes()))
        case 9: try receive(index, input.bytes())
        case 10, 11: try take(engine.commit(now: now))
        case 12:
            now = now.advanced(byMilliseconds: Int64(input.number() & 0xffff) * 10)
            try take(engine.run(id, .wake, now: now))
        case 13:
            try take(engine.run(id, .sendQueue(byteCount: input.flag() ? 0 : 1 << 30), now: now))
        case 14: try take(engine.run(id, input.flag() ? .lost : .drain, now: now))
        default: if devices.count < 12 { try open(input.byte()) }
        }
    }

    /// A greeting that the relay mostly lets in: with the proofs that it takes for right, or others.
    private func approach(_ input: inout FuzzInput, _ index: Int) -> RelayHello {
        let manner = input.byte()
        let generation = UInt32(manner & 3)
        var hello = RelayHello(
            space: MemoryStore.space, replica: ReplicaID(value: UInt128(index + 1)),
            features: manner & 4 == 0 ? [] : .live, generation: generation,
            token: manner & 24 == 24 ? (manner & 32 == 0 ? nil : "2") : "1")
        if generation > 0 {
            let details = input.byte()
            hello.access = RelayHello.Access(
                verifier: [UInt8](repeating: details & 3, count: 32),
                proof: [UInt8](repeating: details & 12 == 12 ? 0 : 1, count: 64),
                succession: details & 16 == 0
                    ? nil : [UInt8](repeating: details & 96 == 96 ? 0 : 1, count: 64))
        }
        if manner & 192 == 192 {
            hello.read = RelayHello.Bookmark(
                relay: ReplicaID(value: 9), checkpoint: input.checkpoint())
        }
        return hello
    }

    /// The batch as devices send it to a relay: it does not see of which collection a record is.
    private func relayed(_ batch: ChangeBatch) -> ChangeBatch {
        var batch = batch
        batch.changes = batch.changes.map {
            Change(
                RecordName(.relayed, $0.id), clock: $0.clock, body: $0.body,
                isDeferred: $0.isDeferred)
        }
        return batch
    }

    /// Commits, ends all conversations, and looks whether all that was acknowledged is there.
    func finish() throws {
        try take(engine.commit(now: now))
        try take(engine.runAll(.lost, now: now))
        try promise(engine.sessionCount == 0, "a conversation outlives its link")
        try promise(
            engine.statistics.heldByteCount == 0,
            "\(engine.statistics.heldByteCount) bytes held for nobody")
        for device in devices where !hasRekeyed {
            guard let space = device.space else { continue }
            try promise(
                device.acknowledgedCount <= device.batches.count, "more is acknowledged than came")
            for change in device.batches.prefix(Int(device.acknowledgedCount)).joined() {
                let kept = try store.versions(of: change.name, in: space)
                try promise(
                    kept.contains { $0.clock.covers(change.clock) },
                    "record \(change.name) was acknowledged, and is not in the store")
            }
        }
        for space in Set(devices.compactMap(\.space)) where try store.head(of: space) != nil {
            let findings = try store.examine(space)
            try promise(findings.isEmpty, "the relay's store is damaged: \(findings)")
        }
        try take(engine.close(now: now))
    }
}
