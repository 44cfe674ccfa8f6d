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
