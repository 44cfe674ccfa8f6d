import Core
import Testing

@Suite("Messages of relays")
struct RelayMessageTests {
    static let messages: [Message] = {
        let checkpoint = Checkpoint(epoch: EpochID(value: 7), sequence: 300)
        let relay = ReplicaID(value: 3 << 64)
        let full = RelayHello(
            space: SpaceID(value: 5), replica: ReplicaID(value: 9), features: .live, generation: 2,
            read: RelayHello.Bookmark(relay: relay, checkpoint: checkpoint),
            access: RelayHello.Access(
                verifier: Array(repeating: 1, count: 32), proof: Array(repeating: 2, count: 64),
                succession: Array(repeating: 3, count: 64)), token: "let me in")
        let bare = RelayHello(
            space: SpaceID(value: 5), replica: ReplicaID(value: 9), features: [], generation: 0)
        let (one, two) = (ReplicaID(value: 1), ReplicaID(value: 2))
        let rows = [
            SummaryRow(SummaryRow.Key(one, about: nil), number: 1, bytes: [1, 2]),
            SummaryRow(SummaryRow.Key(one, about: two), number: 300, bytes: []),
            SummaryRow(SummaryRow.Key(two, about: nil), number: 0, bytes: [3]),
        ]
        let rekeyMessage = RekeyMessage(
            generation: 7, verifier: Array(repeating: 4, count: 32), bytes: [1, 2, 3])
        return [
            .relayHello(full), .relayHello(bare),
            .relayHelloReply(
                RelayHelloReply(relay: relay, start: checkpoint, reached: 4, uploaded: checkpoint)),
            .relayHelloReply(RelayHelloReply(relay: relay, start: checkpoint, reached: 0)),
            .uploadDone(UploadDone(through: checkpoint, rows: Array(rows.prefix(2)))),
            .uploadDone(UploadDone(through: checkpoint)),
            .downloadDone(DownloadDone(through: checkpoint, rows: rows)),
            .downloadDone(DownloadDone(through: checkpoint)),
            .relayHelloReply(
                RelayHelloReply(relay: relay, start: checkpoint, reached: 4, rekeyMessages: [])),
            .relayHelloReply(
                RelayHelloReply(
                    relay: relay, start: checkpoint, reached: 4, uploaded: checkpoint,
                    rekeyMessages: [rekeyMessage.mark, rekeyMessage.mark])),
            .rekeyMessage(rekeyMessage),
        ]
    }()

    @Test("each is read as it was written", arguments: messages)
    func roundTrip(message: Message) throws {
        #expect(try Message.decode(Message.encode(message)) == message)
    }

    @Test("cut anywhere it is refused, and never read otherwise", arguments: messages)
    func truncated(message: Message) {
        let bytes = Message.encode(message)
        for count in 0..<bytes.count {
            #expect(throws: WireFault.self) { try Message.decode(Array(bytes[..<count])) }
        }
    }

    @Test("a rekey message has its longest length, and a relay hello reply the most of them")
    func rekeyMessageLimits() throws {
        func rekeyMessage(_ byteCount: Int) -> RekeyMessage {
            RekeyMessage(
                generation: 1, verifier: Array(repeating: 4, count: 32),
                bytes: Array(repeating: 0, count: byteCount))
        }
        let longest = Message.rekeyMessage(rekeyMessage(WireLimits.rekeyMessageByteCountMax))
        #expect(try Message.decode(Message.encode(longest)) == longest)
        let longer = Message.rekeyMessage(rekeyMessage(WireLimits.rekeyMessageByteCountMax + 1))
        #expect(
            throws: WireFault.overLimit(.rekeyMessage, max: WireLimits.rekeyMessageByteCountMax)
        ) {
            try Message.decode(Message.encode(longer))
        }
        func relayHelloReply(_ count: Int) -> Message {
            .relayHelloReply(
                RelayHelloReply(
                    relay: ReplicaID(value: 3),
                    start: Checkpoint(epoch: EpochID(value: 7), sequence: 3), reached: 4,
                    rekeyMessages: Array(repeating: rekeyMessage(1).mark, count: count)))
        }
        let fullest = relayHelloReply(WireLimits.rekeyMessageCountMax)
        #expect(try Message.decode(Message.encode(fullest)) == fullest)
        #expect(throws: WireFault.self) {
            try Message.decode(Message.encode(relayHelloReply(WireLimits.rekeyMessageCountMax + 1)))
        }
    }

    @Test("one of a later version says only its versions, and can be told so")
    func later() throws {
        let bytes: [UInt8] = [0xa2, 0x00, 0x14, 0x01, 0x82, 0x09, 0x0a]
        guard case .relayHello(let relayHello) = try Message.decode(bytes) else {
            Issue.record("not a relay hello")
            return
        }
        #expect(relayHello.versionMin == 9)
    }

    @Test("the content of a row is read as it was written, and refused when it is cut")
    func summaryRows() throws {
        let replica = ReplicaID(value: 1)
        let entry = StateSummaryEntry(replica: replica, counter: 4, checksum: 1 << 100, seen: 6)
        let contents: [SummaryRowContent] = [
            .entry(entry, nil),
            .entry(entry, Incarnation(epoch: EpochID(value: 5), counter: 3)),
            .entry(entry, nil, request: 1),
            .entry(entry, Incarnation(epoch: EpochID(value: 5), counter: 3), request: 9),
            .digests(sum: 5, 12), .digests(sum: .max, Digest(contents: 1, clocks: 2)),
        ]
        for content in contents {
            let bytes = content.bytes
            #expect(try SummaryRowContent(decoding: bytes, about: content.about) == content)
            for count in 0..<bytes.count {
                #expect(throws: WireFault.self) {
                    try SummaryRowContent(decoding: Array(bytes[..<count]), about: content.about)
                }
            }
            let other = content.about == nil ? replica : nil
            #expect(throws: WireFault.self) {
                try SummaryRowContent(decoding: bytes, about: other)
            }
        }
    }

    @Test("rows that do not fit one message go in several, the digests in the last one")
    func ends() throws {
        let most = WireLimits.summaryRowCountMax
        let speaker = ReplicaID(value: 1)
        let through = Checkpoint(epoch: EpochID(value: 7), sequence: 3)
        func row(_ about: Int?) -> SummaryRow {
            let about = about.map { ReplicaID(value: UInt128($0)) }
            return SummaryRow(SummaryRow.Key(speaker, about: about), number: 1, bytes: [7])
        }
        for count in [0, 1, most - 1, most, most + 1, 2 * most] {
            for digests in [[], [row(nil)]] {
                let entries = (0..<count).map { row($0) }
                let messages = UploadDone.messages(through: through, digests + entries.reversed())
                #expect(messages.flatMap(\.rows).filter { $0.key.about != nil } == entries)
                #expect(messages.last?.rows.first { $0.key.about == nil } == digests.first)
                #expect(messages.dropLast().allSatisfy { $0.rows.first?.key.about != nil })
                #expect(messages.count <= count / (most - 1) + 1)
                for message in messages {
                    let bytes = Message.encode(.uploadDone(message))
                    #expect(try Message.decode(bytes) == .uploadDone(message))
                }
            }
        }
    }

    @Test("a message has its most rows, a row its longest content, and both no more")
    func rowLimits() throws {
        func end(_ count: Int, byteCount: Int) -> Message {
            let rows = (0..<count).map {
                SummaryRow(
                    SummaryRow.Key(ReplicaID(value: 1), about: ReplicaID(value: UInt128($0))),
                    number: 1, bytes: [UInt8](repeating: 7, count: byteCount))
            }
            return .downloadDone(
                DownloadDone(through: Checkpoint(epoch: EpochID(value: 7), sequence: 3), rows: rows)
            )
        }
        let (most, longest) = (WireLimits.summaryRowCountMax, WireLimits.summaryRowByteCountMax)
        let fullest = end(most, byteCount: longest)
        let bytes = Message.encode(fullest)
        #expect(bytes.count < WireLimits.frameByteCountMax)
        #expect(try Message.decode(bytes) == fullest)
        for over in [end(most + 1, byteCount: 1), end(1, byteCount: longest + 1)] {
            #expect(throws: WireFault.self) { try Message.decode(Message.encode(over)) }
        }
    }
}

@Suite("The message about versions that cannot be opened")
struct UnreadableMessageTests {
    private static func mark(_ id: UInt128, _ hash: UInt128) -> VersionMark {
        VersionMark(id: RecordID(value: id), hash: hash)
    }

    private static let messages: [UnreadableVersions] = [
        UnreadableVersions([]), UnreadableVersions([mark(1, 2)]),
        UnreadableVersions([mark(1, .max), mark(1, 2), mark(.max, 0)]),
        UnreadableVersions([mark(7, 1)], unknown: [mark(2, 2), mark(3, 3)]),
        UnreadableVersions([], unknown: [mark(2, 2)]),
    ]

    @Test("it is read as it was written, whatever the order of its marks", arguments: messages)
    func roundTrip(versions: UnreadableVersions) throws {
        let bytes = Message.encode(.unreadable(versions))
        #expect(try Message.decode(bytes) == .unreadable(versions))
        let turned = UnreadableVersions(versions.marks.reversed(), unknown: versions.unknown)
        #expect(Message.encode(.unreadable(turned)) == bytes)
    }

    @Test("marks that are cut, twice there, not sorted, none or too many are refused")
    func refused() throws {
        func bytes(_ marks: [UInt8]) -> [UInt8] {
            var writer = CanonicalWriter()
            writer.map(2)
            writer.unsigned(0)
            writer.unsigned(UnreadableVersions.kind)
            writer.unsigned(1)
            writer.byteString(marks)
            return writer.bytes
        }
        let (low, high) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        #expect(throws: Never.self) { try Message.decode(bytes(low + high)) }
        for wrong in [[], Array(low.dropLast()), low + low, high + low] {
            #expect(throws: WireFault.self) { try Message.decode(bytes(wrong)) }
        }
        let most = WireLimits.unreadableCountMax
        let all = (0...most).map { Self.mark(UInt128($0), 1) }
        #expect(throws: WireFault.self) {
            try Message.decode(Message.encode(.unreadable(UnreadableVersions(all))))
        }
        let messages = UnreadableVersions.messages(all, unknown: [Self.mark(1, 1)])
        #expect(messages.map(\.marks.count) == [most, 1])
        #expect(messages.map(\.unknown.count) == [1, 0])
        #expect(throws: Never.self) {
            for message in messages {
                _ = try Message.decode(Message.encode(.unreadable(message)))
            }
        }
    }

    @Test("versions with equal clocks and other contents have other marks")
    func marks() {
        let name = RecordName(.relayed, RecordID(value: 1))
        let clock = VersionVector(Dot(replica: ReplicaID(value: 2), counter: 3))
        let one = VersionMark(of: Change(name, clock: clock, body: [1]))
        #expect(one != VersionMark(of: Change(name, clock: clock, body: [2])))
        var later = clock
        later.set(4, of: ReplicaID(value: 2))
        #expect(one != VersionMark(of: Change(name, clock: later, body: [1])))
        #expect(
            one == VersionMark(of: Change(name, clock: clock, body: [1], isDeferred: true)))
    }
}
