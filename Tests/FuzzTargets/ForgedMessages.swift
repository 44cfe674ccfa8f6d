import Core
import Session
import TestSupport

/// Messages that a fuzzer makes up: nearly right, so that they come further than random bytes.
extension FuzzInput {
    mutating func replica() -> ReplicaID {
        switch below(5) {
        case 0: own.replica
        case 1: MemoryStore(2).replica
        case 2: ReplicaID(value: 9)
        case 3: ReplicaID(value: MemoryStore(1).replica.value + 1)
        default: ReplicaID(value: UInt128(byte()))
        }
    }

    mutating func epoch() -> EpochID {
        switch below(4) {
        case 0: EpochID(value: 0)
        case 1: own.epoch
        case 2: MemoryStore(2).incarnation.epoch
        default: EpochID(value: number())
        }
    }

    mutating func checkpoint() -> Checkpoint { Checkpoint(epoch: epoch(), sequence: number()) }

    mutating func optional<T>(_ body: (inout FuzzInput) -> T) -> T? { flag() ? body(&self) : nil }

    mutating func list<T>(_ bound: Int, _ body: (inout FuzzInput) -> T) -> [T] {
        (0..<below(bound)).map { _ in body(&self) }
    }

    mutating func clock() -> VersionVector {
        var clock = VersionVector()
        for _ in 0...below(3) { clock.include(max(1, number()), of: replica()) }
        return clock
    }

    mutating func entries() -> [StateSummaryEntry] {
        list(4) {
            StateSummaryEntry(
                replica: $0.replica(), counter: $0.number(), checksum: UInt128($0.byte()),
                seen: $0.number())
        }
    }

    mutating func peerCheckpoint() -> PeerCheckpoint {
        PeerCheckpoint(
            peer: optional { $0.replica() }, checkpoint: optional { $0.checkpoint() },
            counter: number(), epoch: optional { $0.epoch() },
            summary: optional { $0.checkpoint() })
    }

    mutating func hello() -> Hello {
        var hello = Hello(
            space: flag() ? MemoryStore.space : SpaceID(value: UInt128(below(2)) * 3),
            policy: flag() ? .deletesWin : .editsWin, replica: replica(),
            incarnation: Incarnation(epoch: epoch(), counter: number()),
            summary: optional { input in
                // Half of them are the hearer's own, if it is new: the session goes on to changes.
                let entries = input.flag() ? [] : input.entries()
                return StateSummary(entries: entries, digest: 0).head(SipHash())
            },
            features: flag() ? .live : [], peerCheckpoint: optional { $0.peerCheckpoint() },
            counter: flag() ? 0 : number(), reached: optional { $0.number() },
            summarySequence: flag() ? 0 : number())
        // A replica that only these messages name speaks another version.
        if hello.replica == ReplicaID(value: 9) {
            let version = flag() ? 0 : WireLimits.versionMax + 1
            (hello.versionMin, hello.versionMax) = (version, version)
        }
        return hello
    }

    mutating func summaryRows() -> [SummaryRow] {
        let rows = list(4) { input in
            SummaryRow(
                SummaryRow.Key(input.replica(), about: input.optional { $0.replica() }),
                number: UInt64(input.byte()), bytes: input.bytes())
        }
        return Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
            .values.sorted { $0.key < $1.key }
    }

    mutating func summaryRanges() -> SummaryRanges {
        var upper: UInt128 = 0
        var ranges = list(5) { input -> SummaryRanges.Range in
            upper += UInt128(input.byte()) << UInt128(8 * input.below(15)) + 1
            return SummaryRanges.Range(upper: upper, input.summaryContent())
        }
        if flag() || ranges.isEmpty {
            ranges.append(SummaryRanges.Range(upper: nil, summaryContent()))
        }
        return SummaryRanges(ranges)
    }

    private mutating func summaryContent() -> SummaryRanges.Content {
        switch below(4) {
        case 0: .known
        case 1: .sum(number())
        case 2: .entries(entries())
        default: .answer(entries())
        }
    }

    /// A change of one of a few records, mostly with a body that can be read.
    mutating func change() -> Change {
        let id = RecordID(value: UInt128(below(5)))
        let clock = clock()
        let manner = byte()
        if manner & 7 == 7 {
            return Change(id: id, clock: clock, body: bytes(), isDeferred: flag())
        }
        var writes: [Write] = []
        for entry in clock.entries.prefix(2) {
            let value: Value = manner & 1 == 1 ? .null : .int(Int64(byte()))
            let field = Field(manner & 2 == 2 ? .number(0) : .number(2))
            var assignments = [Assignment(field, value)]
            if manner & 32 == 32 { assignments = [Assignment(.deleted, .clock(clock))] }
            if manner & 96 == 96 { assignments.append(Assignment(.purged, .bool(true))) }
            writes.append(
                Write(
                    dot: Dot(replica: entry.replica, counter: entry.counter),
                    timestamp: HybridTimestamp(rawValue: number()), assignments: assignments))
        }
        let record = RecordState(clock: clock, writes: writes)
        let body = BodyCodec.encode(
            record, in: MemoryStore.collection, known: manner & 4 == 4 ? clock : nil)
        return Change(id: id, clock: clock, body: body, isDeferred: manner & 16 == 16)
    }

    mutating func part() -> BodyPart {
        let change = change()
        let count = 1 + below(80)
        return BodyPart(
            id: change.id, clock: change.clock,
            byteCount: flag() ? change.body.count : Int(UInt32(truncatingIfNeeded: number())),
            offset: flag() ? 0 : below(100), bytes: Array(change.body.prefix(count)))
    }

    /// A change in parts and the batch behind them, all of which fit: some of it is left out or comes twice.
    mutating func parts(in collection: CollectionID? = nil) -> [Message] {
        let change = change()
        let name = collection.map { RecordName($0, change.id) } ?? change.name
        let size = 1 + below(40)
        var clock = change.clock.entries[...]
        var parts: [BodyPart] = []
        let isClockCut = flag()
        while isClockCut, clock.count > 1 {
            parts.append(
                BodyPart(
                    name, clock: VersionVector(unsorted: [clock.removeFirst()]),
                    byteCount: change.body.count, offset: 0, bytes: [], isClockCut: true))
        }
        for offset in stride(from: 0, to: max(1, change.body.count), by: size) {
            parts.append(
                BodyPart(
                    name, clock: VersionVector(unsorted: Array(clock)),
                    byteCount: change.body.count, offset: offset,
                    bytes: Array(change.body.dropFirst(offset).prefix(size))))
        }
        var messages = parts.map { Message.part($0) }
        messages.append(.changes(ChangeBatch(changes: [], through: optional { $0.checkpoint() })))
        switch below(6) {
        case 0: messages.remove(at: below(messages.count))
        case 1: messages.append(messages[below(messages.count)])
        case 2: messages.insert(message(), at: below(messages.count))
        default: break
        }
        return messages
    }

    mutating func batch() -> ChangeBatch {
        var changes: [Change] = []
        for _ in 0..<below(4) { changes.append(change()) }
        let through = optional { $0.checkpoint() }
        return ChangeBatch(changes: changes, through: through)
    }

    mutating func rekeyMessage() -> RekeyMessage {
        RekeyMessage(
            generation: UInt32(truncatingIfNeeded: number()),
            verifier: [UInt8](repeating: byte(), count: flag() ? 32 : below(65)), bytes: bytes())
    }

    mutating func relayHello() -> RelayHello {
        RelayHello(
            space: flag() ? MemoryStore.space : SpaceID(value: UInt128(below(3))),
            replica: replica(), features: flag() ? .live : [],
            generation: UInt32(truncatingIfNeeded: below(4)),
            read: optional {
                RelayHello.Bookmark(relay: $0.replica(), checkpoint: $0.checkpoint())
            },
            access: optional {
                RelayHello.Access(
                    verifier: [UInt8](repeating: $0.byte(), count: 32),
                    proof: [UInt8](repeating: $0.byte(), count: 64),
                    succession: $0.optional { [UInt8](repeating: $0.byte(), count: 64) })
            }, token: optional { "\($0.byte())" })
    }

    mutating func relayHelloReply() -> RelayHelloReply {
        RelayHelloReply(
            relay: replica(), start: checkpoint(), reached: number(),
            uploaded: optional { $0.checkpoint() },
            rekeyMessages: optional { input in
                input.list(3) { RekeyMessage.Mark(verifier: $0.bytes(), hash: UInt128($0.byte())) }
            })
    }

    mutating func digest() -> Digest? {
        optional {
            Digest(contents: UInt128($0.byte()), clocks: $0.optional { UInt128($0.byte()) })
        }
    }

    /// Marks of versions, some of them of records that `change()` makes.
    private mutating func marks() -> [VersionMark] {
        list(4) {
            $0.flag()
                ? VersionMark(of: $0.change())
                : VersionMark(id: RecordID(value: UInt128($0.below(5))), hash: UInt128($0.byte()))
        }
    }

    mutating func unreadableVersions() -> UnreadableVersions {
        UnreadableVersions(marks(), unknown: marks())
    }

    /// A message of any kind.
    mutating func message() -> Message {
        switch below(31) {
        case 0: .hello(hello())
        case 1: .peerCheckpoint(peerCheckpoint())
        case 2, 3, 4: .changes(batch())
        case 5, 6: .part(part())
        case 7, 8: .acknowledge(number())
        case 9:
            .caughtUp(
                CaughtUp(
                    through: checkpoint(), changed: entries(), digest: digest(),
                    sum: UInt128(number()), summarySequence: optional { $0.number() }))
        case 10: .want(list(5) { RecordName(toDo: RecordID(value: UInt128($0.below(5)))) })
        case 11: .repair
        case 12: .askHistory
        case 13:
            .history(
                History(
                    replica: replica(), counter: number(),
                    incarnations: list(3) { Incarnation(epoch: $0.epoch(), counter: $0.number()) }))
        case 14: .ping(number())
        case 15: .pong(number())
        case 16: flag() ? .bye : .error(.outOfOrder("made up"))
        case 17: .ignorable(128 + UInt64(byte()))
        case 18: flag() ? .relayHello(relayHello()) : .relayHelloReply(relayHelloReply())
        case 19: .uploadDone(UploadDone(through: checkpoint(), rows: summaryRows()))
        case 20:
            .downloadDone(DownloadDone(through: checkpoint(), rows: summaryRows()))
        case 21, 22: .summaryRanges(summaryRanges())
        case 23: .summaryPage(SummaryPage(entries()))
        case 24: .unreadable(unreadableVersions())
        case 25: .mailbox(MailboxOpening(id: UInt128(below(3)), isMaking: flag()))
        case 26: .mailboxItem(MailboxItem(bytes()))
        case 28, 29: .summaryList(SummaryList(entries()))
        default: .rekeyMessage(rekeyMessage())
        }
    }
}
