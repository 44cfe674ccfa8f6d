import Core
import Replica
import Session
import Simulation
import Storage
import TestSupport

/// A replica with a real store in a session with a relay that is made up: it has what another device of the space
/// left there, changed on the way or not, and what no device would say.
final class RelayReplicaTalk {
    private static let relay = ReplicaID(value: 9)
    private static let epoch = EpochID(value: 5)

    private let device = FuzzDevice()
    private let store: Store
    private let replica: Replica
    private let seal: FuzzSeal?
    private let rekeyMailbox: FuzzRekeyMailbox?
    private let isReader: Bool
    private var id = ConversationID(number: 0)
    private var isClosed = true
    private var now = Instant(milliseconds: 1_000)
    /// Another device of the space, and how far the relay has told of its records.
    private var other = MemoryStore(2)
    private var told: UInt64 = 0
    /// The relay's rows.
    private var rows: [SummaryRow.Key: SummaryRow] = [:]
    private var sequence: UInt64 = 0
    private var decoder = FrameDecoder()
    private var arrived = FrameDecoder()
    /// The batches and the like that the device has sent in this conversation, and the ones that it was sent.
    private var sentCount: UInt64 = 0
    private var receivedCount: UInt64 = 0
    /// The versions that the device has uploaded, and those of which it said that they cannot be opened.
    private var uploaded: [Change] = []
    private var unreadable: [VersionMark] = []

    init(_ input: inout FuzzInput) throws {
        let manner = input.byte()
        let stored = manner & 16 == 16 ? StoredImage.withoutDeferred : StoredImage.shared
        device.disk.restore(stored.image, .unnoticed)
        store = try device.open(freeDeleteCount: manner & 1 == 1 ? 1 : nil)
        seal = manner & 2 == 2 ? nil : FuzzSeal()
        rekeyMailbox = manner & 4 == 4 ? FuzzRekeyMailbox() : nil
        isReader = manner & 8 == 8
        for id in 0..<input.below(10) { other.write(UInt64(id), [2: .text("x"), 3: .int(1)]) }
        replica = Replica(store: store)
        input.own = (store.replica, try store.greeting(to: nil).incarnation.epoch)
        try begin(&input)
    }

    deinit { store.close() }

    private func begin(_ input: inout FuzzInput) throws {
        (sentCount, receivedCount, isClosed) = (0, 0, false)
        (decoder, arrived) = (FrameDecoder(), FrameDecoder())
        let manner = input.byte()
        let access = RelayHello.Access(
            verifier: FuzzRekeyMailbox.verifier, proof: [UInt8](repeating: 2, count: 64))
        let opened = replica.openRelay(
            RelayAccount(access: rekeyMailbox == nil ? nil : access, isReader: isReader),
            seal: seal, rekeyMailbox: rekeyMailbox, isLive: manner & 1 == 1,
            guess: manner & 2 == 2 ? Self.relay : nil, now: now)
        id = opened.conversation
        try take(opened.outputs)
    }

    private func take(_ outputs: [Replica.Output]) throws {
        try promise(outputs.count <= SessionPromises.effectCountMax, "\(outputs.count) effects")
        for (conversation, effect) in outputs where conversation == id {
            try promise(!isClosed, "an effect after the end")
            switch effect {
            case .send(let bytes):
                decoder.append(bytes)
                while let message = try decoder.next() { try hear(message) }
            case .close: isClosed = true
            case .wake, .report, .fault: break
            }
        }
    }

    /// Hears what the device says: only what a device of the space can open leaves it.
    private func hear(_ message: Message) throws {
        switch message {
        case .changes(let batch):
            sentCount += 1
            let changes = batch.changes.compactMap { RelayVersion.change(in: $0, opening: seal) }
            try promise(
                changes.count == batch.changes.count, "a version leaves that no device can open")
            _ = other.integrate(
                IntegrateRequest(changes: changes, peer: store.replica, checkpoint: nil))
            uploaded += batch.changes
        case .uploadDone(let end):
            sentCount += 1
            for row in end.rows {
                let content =
                    seal.map { $0.open(row.bytes, ofRow: row.key, numbered: row.number) }
                    ?? row.bytes
                let isRead =
                    content.flatMap { try? SummaryRowContent(decoding: $0, about: row.key.about) }
                    != nil
                try promise(isRead, "a row leaves that no device can open")
                rows[row.key] = row
            }
        case .unreadable(let versions):
            sentCount += 1
            unreadable += versions.marks
        case .rekeyMessage: sentCount += 1
        case .acknowledge(let count):
            try promise(count <= receivedCount, "more is acknowledged than came")
        default: break
        }
    }

    private func receive(_ message: Message) throws { try receive(Frame.encode(message)) }

    private func receive(_ bytes: [UInt8]) throws {
        arrived.append(bytes)
        while let message = try? arrived.next() {
            if case .changes = message { receivedCount += 1 }
        }
        try take(bytes.withUnsafeBytes { replica.receive(id, $0, now: now) })
    }

    private var here: Checkpoint { Checkpoint(epoch: Self.epoch, sequence: sequence) }

    /// One decision of the fuzzer.
    func step(_ input: inout FuzzInput) throws {
        if isClosed { return try begin(&input) }
        switch input.below(24) {
        case 0, 1: try welcome(&input)
        case 2, 3: try tellOfOther(&input)
        case 4:
            let changes = input.list(4) { $0.change() }
            sequence += 1
            let batch = ChangeBatch(changes: try changes.map { try sealed($0) }, through: here)
            try receive(.changes(batch))
        case 5, 6: try tellRows(&input)
        case 7: try tellRowsAboutItself(&input)
        case 8: try receive(.acknowledge(sentCount))
        case 9: try tellOfUnreadable(&input)
        case 10:
            try receive(
                .rekeyMessage(
                    RekeyMessage(
                        generation: 1, verifier: FuzzRekeyMailbox.verifier,
                        bytes: Message.encode(.changes(devices(&input))))))
        case 11:
            _ = try store.edit { transaction throws(StoreFault) in
                try transaction.insert(
                    [Assignment(.number(2), .text("new"))], into: FuzzDevice.collection)
            }
            try take(replica.noticeChanges(now: now))
        case 12: other.write(UInt64(input.below(12)), [2: .text("y")])
        case 13: other.delete(input.below(20), purges: input.flag())
        case 14: other.know(1 + UInt64(input.below(4)), of: writer(&input))
        case 15: try stepOfOwner(&input)
        case 16:
            now = now.advanced(byMilliseconds: Int64(input.number() & 0xffff) * 10)
            try take(replica.run(id, .wake, now: now))
        case 17: try take(replica.run(id, input.flag() ? .drain : .lost, now: now))
        case 18: try receive(input.message())
        case 19: try receive(input.bytes())
        case 20: try receive(.downloadDone(DownloadDone(through: here, rowSum: rowSum)))
        case 21: for message in input.parts(in: .relayed) { try receive(message) }
        case 22: try meetItself(&input)
        default:
            told = 0
            if input.flag() { other.takeDeletes() }
        }
    }

    private func welcome(_ input: inout FuzzInput) throws {
        let manner = input.byte()
        let start = manner & 1 == 1 ? sequence : UInt64(input.below(3))
        let own = input.own.epoch
        try receive(
            .relayHelloReply(
                RelayHelloReply(
                    relay: Self.relay, start: Checkpoint(epoch: Self.epoch, sequence: start),
                    reached: sequence,
                    uploaded: input.optional { Checkpoint(epoch: own, sequence: $0.number()) },
                    rekeyMessages: manner & 2 == 2
                        ? [] : manner & 4 == 4 ? FuzzRekeyMailbox.marks : nil)))
    }

    /// What the other device has, as it left it or changed.
    private func tellOfOther(_ input: inout FuzzInput) throws {
        let reading = other.read(
            ReadRequest(
                from: .sequence(told), peerHas: PeerHoldings(), isFull: true,
                byteCountMax: 1 << 20))
        told = reading.through.sequence
        sequence += UInt64(reading.changes.count)
        let (index, manner) = (Int(input.byte()), input.byte())
        var changes = try reading.changes.map { try sealed($0) }
        if !changes.isEmpty {
            let change = changes[index % changes.count]
            switch manner & 3 {
            case 1:
                var body = change.body
                body[Int(manner) % body.count] ^= 1
                changes[index % changes.count] = Change(
                    change.name, clock: change.clock, body: body)
            case 2:
                var clock = change.clock
                clock.include(UInt64(manner), of: ReplicaID(value: 3))
                changes[index % changes.count] = Change(
                    change.name, clock: clock, body: change.body)
            default: break
            }
        }
        let batch = ChangeBatch(changes: changes, through: manner & 128 == 128 ? nil : here)
        try receive(.changes(batch))
    }

    private func sealed(_ change: Change) throws -> Change {
        try RelayVersion.of(change, with: seal)
    }

    private var rowSum: UInt128 { rows.values.reduce(0) { $0 &+ $1.hash } }

    /// The other device's rows, the relay's sum of all rows behind them.
    private func tellRows(_ input: inout FuzzInput) throws {
        let stateSummary = other.stateSummary
        var contents = stateSummary.entries.map { SummaryRowContent.entry($0, nil) }
        contents.append(.digests(sum: stateSummary.sum(SipHash()), stateSummary.digest))
        let manner = input.byte()
        if manner & 1 == 1 { contents = input.entries().map { .entry($0, nil) } }
        try tell(contents, by: other.replica, manner, &input)
    }

    /// Rows about the device under test: another one has heard more of it than it has said, or less.
    private func tellRowsAboutItself(_ input: inout FuzzInput) throws {
        let manner = input.byte()
        let seen = max(1, input.number())
        let incarnation = input.optional {
            Incarnation(epoch: $0.epoch(), counter: $0.number())
        }
        let entry = StateSummaryEntry(
            replica: manner & 8 == 8 ? ReplicaID(value: 77) : store.replica,
            counter: min(seen, input.number()), checksum: UInt128(input.byte()), seen: seen)
        try tell(
            [.entry(entry, incarnation)], by: manner & 16 == 16 ? store.replica : other.replica,
            manner, &input)
    }

    private func tell(
        _ contents: [SummaryRowContent], by speaker: ReplicaID, _ manner: UInt8,
        _ input: inout FuzzInput
    ) throws {
        sequence += 1
        var told: [SummaryRow] = []
        for content in contents.sorted(by: {
            $0.about ?? .init(value: 0) < $1.about ?? .init(value: 0)
        }) {
            let key = SummaryRow.Key(speaker, about: content.about)
            let number = (rows[key]?.number ?? 0) + 1
            var bytes = content.bytes
            if manner & 2 == 2 { bytes[bytes.count / 2] ^= 1 }
            if let seal, manner & 4 == 0 { bytes = seal.seal(bytes, ofRow: key, numbered: number) }
            let row = SummaryRow(key, number: number, bytes: bytes)
            rows[key] = row
            told.append(row)
        }
        told.sort { $0.key < $1.key }
        let sum = manner & 32 == 32 ? nil : manner & 64 == 64 ? 1 : rowSum
        try receive(
            .downloadDone(
                DownloadDone(
                    through: manner & 128 == 128 ? input.checkpoint() : here, rows: told,
                    rowSum: sum)))
    }

    private func tellOfUnreadable(_ input: inout FuzzInput) throws {
        let manner = input.byte()
        let own = uploaded.map { version in
            manner & 1 == 1
                ? VersionMark(of: version) : VersionMark(id: version.name.id, hash: 1)
        }
        let (marks, unknown) = manner & 2 == 2 ? (unreadable, []) : (own, unreadable)
        if manner & 4 == 4 { return try receive(.unreadable(input.unreadableVersions())) }
        try receive(.unreadable(UnreadableVersions(marks, unknown: unknown)))
    }

    /// Records of devices, as a rekey message has them.
    private func devices(_ input: inout FuzzInput) -> ChangeBatch {
        let changes = input.list(3) { $0.change() }.map { change -> Change in
            guard let record = try? change.record() else { return change }
            return Change(
                RecordName(.devices, change.id), clock: change.clock,
                body: BodyCodec.encode(record, in: .devices))
        }
        return ChangeBatch(changes: changes, through: nil)
    }

    /// A replica with writes in the store, or another one.
    private func writer(_ input: inout FuzzInput) -> ReplicaID {
        switch input.below(4) {
        case 0: ReplicaID(value: 77)
        case 1: store.replica
        case 2: other.replica
        default: input.replica()
        }
    }

    private func stepOfOwner(_ input: inout FuzzInput) throws {
        if input.flag() { try store.acceptDeletes() } else { try store.refuseDeletes() }
        try take(replica.noticeChanges(now: now))
    }

    /// Somebody with the id of this replica calls it while it talks with the relay.
    private func meetItself(_ input: inout FuzzInput) throws {
        let opened = replica.open(.responder, isLive: false, now: now)
        try take(opened.outputs)
        var hello = input.hello()
        (hello.space, hello.policy, hello.replica) = (MemoryStore.space, .deletesWin, store.replica)
        let bytes = Frame.encode(.hello(hello))
        try take(bytes.withUnsafeBytes { replica.receive(opened.conversation, $0, now: now) })
        try take(replica.run(opened.conversation, .lost, now: now))
    }

    /// Breaks the link, and looks whether the store is whole.
    func finish() throws {
        if !isClosed { try take(replica.run(id, .lost, now: now)) }
        try promise(isClosed && replica.conversationCount == 0, "a conversation outlives its link")
        let findings = try store.examine()
        try promise(findings.isEmpty, "the store is damaged: \(findings)")
    }
}

/// Stands for real sealing: a mark over all that a sealed thing is bound to stands before its content.
private final class FuzzSeal: SpaceSeal {
    private static let markByteCount = 16

    func relayName(of name: RecordName) -> RecordName { SipHash.relayName(of: name) }

    func seal(_ content: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8] {
        mark(SipHash().content(relayName.id, clock, content)) + content
    }

    func open(_ sealed: [UInt8], of relayName: RecordName, clock: VersionVector) -> [UInt8]? {
        let content = Array(sealed.dropFirst(Self.markByteCount))
        return seal(content, of: relayName, clock: clock) == sealed ? content : nil
    }

    func seal(
        _ content: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
    ) -> [UInt8] {
        mark(SummaryRow(key, number: number, bytes: content).hash) + content
    }

    func open(
        _ sealed: [UInt8], ofRow key: SummaryRow.Key, numbered number: UInt64
    ) -> [UInt8]? {
        let content = Array(sealed.dropFirst(Self.markByteCount))
        return seal(content, ofRow: key, numbered: number) == sealed ? content : nil
    }

    private func mark(_ hash: UInt128) -> [UInt8] {
        var writer = CanonicalWriter()
        writer.raw(hash)
        return writer.bytes
    }
}

/// Stands for the rekey messages of a space: one for an older secret, and whoever has this one opens it.
private final class FuzzRekeyMailbox: RekeyMailbox {
    static let verifier = [UInt8](repeating: 1, count: 32)
    private static let message = RekeyMessage(
        generation: 1, verifier: [UInt8](repeating: 3, count: 32), bytes: [1, 2, 3])
    static var marks: [RekeyMessage.Mark] { [message.mark] }

    func rekeyMessages(from store: Store) -> [RekeyMessage] { [Self.message] }

    func open(_ rekeyMessage: RekeyMessage) -> [Change]? {
        guard case .changes(let batch)? = try? Message.decode(rekeyMessage.bytes) else {
            return nil
        }
        return batch.changes
    }
}
