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
        let notices = [
            DownloadDone.Notice(replica: ReplicaID(value: 1), bytes: [1, 2]),
            DownloadDone.Notice(replica: ReplicaID(value: 2), bytes: []),
        ]
        let rekeyMessage = RekeyMessage(
            generation: 7, verifier: Array(repeating: 4, count: 32), bytes: [1, 2, 3])
        return [
            .relayHello(full), .relayHello(bare),
            .relayHelloReply(
                RelayHelloReply(relay: relay, start: checkpoint, reached: 4, uploaded: checkpoint)),
            .relayHelloReply(RelayHelloReply(relay: relay, start: checkpoint, reached: 0)),
            .uploadDone(UploadDone(through: checkpoint, statement: [1, 2, 3])),
            .downloadDone(DownloadDone(through: checkpoint, notices: notices)),
            .downloadDone(DownloadDone(through: checkpoint, notices: [])),
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

    @Test("a letter has its longest length, and a welcome its most letters")
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
            Issue.record("not an approach")
            return
        }
        #expect(relayHello.versionMin == 9)
    }

    @Test("a declaration is read as it was written, and refused when it is cut")
    func sealedSummary() throws {
        let entry = StateSummaryEntry(
            replica: ReplicaID(value: 1), counter: 4, checksum: 1 << 100, seen: 6)
        let incarnation = ChangeBatch.AnnouncedIncarnation(
            replica: ReplicaID(value: 1), start: Incarnation(epoch: EpochID(value: 5), counter: 3))
        let sealedSummary = SealedSummary(
            statement: StateSummary(entries: [entry], digest: 12), incarnations: [incarnation])
        let bytes = sealedSummary.bytes
        #expect(try SealedSummary(decoding: bytes) == sealedSummary)
        for count in 0..<bytes.count {
            #expect(throws: WireFault.self) { try SealedSummary(decoding: Array(bytes[..<count])) }
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
