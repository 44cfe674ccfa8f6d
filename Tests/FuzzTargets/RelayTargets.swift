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
                "RelayEngine", "RelayEngine+Admission", "RelayEngine+Commit", "HeldBytes",
                "Mailboxes",
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
        /// How many batches the relay has sent it, and the number of its last ping.
        var sentCount: UInt64 = 0
        var pingNumber: UInt64 = 0
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
    /// The store of the space and its opening, as the relay last named them.
    private var relay = ReplicaID(value: 9)
    private var epoch = EpochID(value: 1)
    /// Versions that stand beside others, as they were uploaded.
    private var versions: [Change] = []
    /// Whether a later secret may have dropped what was there.
    private var hasRekeyed = false

    init(_ input: inout FuzzInput) throws {
        var options = RelayOptions(folder: "/relay")
        let (first, second, third) = (input.byte(), input.byte(), input.byte())
        options.allowsPlainSpaces = first & 2 == 0
        if first & 1 == 1 { options.token = "1" }
        if second & 1 == 1 {
            // A device that the operator has put out; another one may be the same with another key.
            options.putOut = [
                RelayPutOut(space: MemoryStore.space, generation: 1, fingerprint: [2])
            ]
        }
        // One limit at a time, where another one would come before it.
        if second & 2 == 2 { options.limits.spaceByteCountMax = 200 }
        if second & 4 == 4 { options.limits.deviceByteCountMax = 100 }
        if second & 8 == 8 { options.limits.recordVersionCountMax = 1 }
        if second & 16 == 16 { options.limits.heldByteCountMax = 60 }
        if second & 32 == 32 { options.limits.receivedByteCountMax = 80 }
        if second & 64 == 64 { options.limits.queuedByteCountMax = 60 }
        if second & 128 == 128 { options.limits.ownStretchCountMax = 1 }
        if first & 4 == 4 { options.limits.spaceCountMax = 1 }
        if first & 8 == 8 { options.limits.failedProofsPerMinuteMax = 1 }
        if third & 1 == 1 {
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
            options.limits.mailboxCountMax = 2
            options.limits.addressMailboxCountMax = 1
            options.limits.mailboxSessionCountMax = 2
            options.limits.mailboxItemCountMax = 2
            options.limits.mailboxByteCountMax = 60
            options.limits.mailboxMilliseconds = 600_000
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
                address: manner & 32 == 32 ? "10.0.1.1" : "10.0.0.\(devices.count % 4)",
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
                    switch message {
                    case .acknowledge(let count): devices[index].acknowledgedCount = count
                    case .changes: devices[index].sentCount += 1
                    case .ping(let number): devices[index].pingNumber = number
                    case .relayHelloReply(let reply):
                        (relay, epoch) = (reply.relay, reply.start.epoch)
                    default: break
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
        let choice = input.byte()
        if choice >= 240 { return try stepOfDevice(choice - 240, index, &input) }
        switch choice % 16 {
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

    /// One decision about a device that says what it should.
    private func stepOfDevice(
        _ choice: UInt8, _ index: Int, _ input: inout FuzzInput
    ) throws {
        switch choice {
        case 0, 1: try receive(index, Frame.encode(.acknowledge(devices[index].sentCount)))
        case 2: try receive(index, Frame.encode(.pong(devices[index].pingNumber)))
        case 3:
            let opening = MailboxOpening(id: UInt128(input.below(3)), isMaking: input.flag())
            try receive(index, Frame.encode(.mailbox(opening)))
        case 4: try receive(index, Frame.encode(.mailboxItem(MailboxItem([1] + input.bytes()))))
        case 5:
            // What it states of itself, or of somebody else.
            let id = ReplicaID(value: UInt128(index + 1 + input.below(2)))
            let row = SummaryRow(
                SummaryRow.Key(id, about: input.optional { $0.replica() }), number: input.number(),
                bytes: input.bytes())
            let end = UploadDone(through: input.checkpoint(), rows: [row])
            try receive(index, Frame.encode(.uploadDone(end)))
        case 6:
            // The beginning of a long body.
            let change = relayed(input.change())
            let count = 1 + input.below(255)
            let part = BodyPart(
                change.name, clock: change.clock, byteCount: count + 1, offset: 0,
                bytes: [UInt8](repeating: 7, count: count))
            try receive(index, Frame.encode(.part(part)))
        case 7:
            // A version that stands beside others of its record.
            let id = RecordID(value: UInt128(input.below(2)))
            let writer = ReplicaID(value: UInt128(100 + input.below(8)))
            let change = Change(
                RecordName(.relayed, id), clock: VersionVector(Dot(replica: writer, counter: 1)),
                body: [UInt8](repeating: 1, count: 1 + input.below(200)),
                isDeferred: input.flag())
            versions.append(change)
            try receive(
                index, Frame.encode(.changes(ChangeBatch(changes: [change], through: nil))))
        case 8:
            let told =
                input.flag()
                ? UnreadableVersions(versions.map(VersionMark.init)) : input.unreadableVersions()
            try receive(index, Frame.encode(.unreadable(told)))
        case 9:
            let key = input.below(4)
            let message = RekeyMessage(
                generation: UInt32(input.below(4)),
                verifier: [UInt8](repeating: UInt8(key), count: 32), bytes: input.bytes())
            try receive(index, Frame.encode(.rekeyMessage(message)))
        case 10: try take(engine.runAll(.drain, now: now))
        case 11, 12, 13:
            let hello = unusualApproach(choice, index, &input)
            try receive(index, Frame.encode(.relayHello(hello)))
        case 14:
            // More rows than go into one message.
            let id = ReplicaID(value: UInt128(index + 1))
            let rows = (1...UInt128(WireLimits.summaryRowCountMax)).map { number in
                SummaryRow(
                    SummaryRow.Key(id, about: ReplicaID(value: number)), number: 1, bytes: [1])
            }
            let end = UploadDone(through: input.checkpoint(), rows: rows)
            try receive(index, Frame.encode(.uploadDone(end)))
        default:
            // It leaves, and comes again.
            try take(engine.run(devices[index].id, .lost, now: now))
            if devices.count < 12 { try open(input.byte()) }
        }
    }

    /// A greeting to another space, in another version, or with how far the device has read by its own words.
    private func unusualApproach(
        _ choice: UInt8, _ index: Int, _ input: inout FuzzInput
    ) -> RelayHello {
        var hello = approach(&input, index)
        switch choice {
        case 11: hello.space = SpaceID(value: 5)
        case 12: (hello.versionMin, hello.versionMax) = (90, 91)
        default:
            hello.read = RelayHello.Bookmark(
                relay: input.flag() ? relay : ReplicaID(value: 9),
                checkpoint: Checkpoint(epoch: epoch, sequence: UInt64(input.below(6))))
        }
        return hello
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
        batch.changes = batch.changes.map(relayed)
        return batch
    }

    private func relayed(_ change: Change) -> Change {
        Change(
            RecordName(.relayed, change.id), clock: change.clock, body: change.body,
            isDeferred: change.isDeferred)
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
