import Core
import Testing

@Suite("Messages of relays")
struct RelayMessageTests {
    static let messages: [Message] = {
        let checkpoint = Checkpoint(epoch: EpochID(value: 7), sequence: 300)
        let relay = ReplicaID(value: 3 << 64)
        let full = Approach(
            space: SpaceID(value: 5), replica: ReplicaID(value: 9), features: .live, generation: 2,
            read: Approach.Bookmark(relay: relay, checkpoint: checkpoint),
            access: Approach.Access(
                verifier: Array(repeating: 1, count: 32), proof: Array(repeating: 2, count: 64),
                succession: Array(repeating: 3, count: 64)), token: "let me in")
        let bare = Approach(
            space: SpaceID(value: 5), replica: ReplicaID(value: 9), features: [], generation: 0)
        let notices = [
            Standing.Notice(replica: ReplicaID(value: 1), bytes: [1, 2]),
            Standing.Notice(replica: ReplicaID(value: 2), bytes: []),
        ]
        let letter = Letter(
            generation: 7, verifier: Array(repeating: 4, count: 32), bytes: [1, 2, 3])
        return [
            .approach(full), .approach(bare),
            .welcome(Welcome(relay: relay, start: checkpoint, reached: 4, uploaded: checkpoint)),
            .welcome(Welcome(relay: relay, start: checkpoint, reached: 0)),
            .upload(Upload(through: checkpoint, statement: [1, 2, 3])),
            .standing(Standing(through: checkpoint, notices: notices)),
            .standing(Standing(through: checkpoint, notices: [])),
            .welcome(Welcome(relay: relay, start: checkpoint, reached: 4, letters: [])),
            .welcome(
                Welcome(
                    relay: relay, start: checkpoint, reached: 4, uploaded: checkpoint,
                    letters: [letter.mark, letter.mark])),
            .letter(letter),
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
    func letterLimits() throws {
        func letter(_ byteCount: Int) -> Letter {
            Letter(
                generation: 1, verifier: Array(repeating: 4, count: 32),
                bytes: Array(repeating: 0, count: byteCount))
        }
        let longest = Message.letter(letter(WireLimits.letterByteCountMax))
        #expect(try Message.decode(Message.encode(longest)) == longest)
        let longer = Message.letter(letter(WireLimits.letterByteCountMax + 1))
        #expect(throws: WireFault.overLimit("a letter", max: WireLimits.letterByteCountMax)) {
            try Message.decode(Message.encode(longer))
        }
        func welcome(_ count: Int) -> Message {
            .welcome(
                Welcome(
                    relay: ReplicaID(value: 3),
                    start: Checkpoint(epoch: EpochID(value: 7), sequence: 3), reached: 4,
                    letters: Array(repeating: letter(1).mark, count: count)))
        }
        let fullest = welcome(WireLimits.letterCountMax)
        #expect(try Message.decode(Message.encode(fullest)) == fullest)
        #expect(throws: WireFault.self) {
            try Message.decode(Message.encode(welcome(WireLimits.letterCountMax + 1)))
        }
    }

    @Test("one of a later version says only its versions, and can be told so")
    func later() throws {
        let bytes: [UInt8] = [0xa2, 0x00, 0x14, 0x01, 0x82, 0x09, 0x0a]
        guard case .approach(let approach) = try Message.decode(bytes) else {
            Issue.record("not an approach")
            return
        }
        #expect(approach.versionMin == 9)
    }

    @Test("a declaration is read as it was written, and refused when it is cut")
    func declaration() throws {
        let entry = StatementEntry(
            replica: ReplicaID(value: 1), counter: 4, tally: 1 << 100, seen: 6)
        let opening = ChangeBatch.Opening(
            replica: ReplicaID(value: 1), start: EpochStart(epoch: EpochID(value: 5), counter: 3))
        let declaration = Declaration(
            statement: Statement(entries: [entry], digest: 12), openings: [opening])
        let bytes = declaration.bytes
        #expect(try Declaration(decoding: bytes) == declaration)
        for count in 0..<bytes.count {
            #expect(throws: WireFault.self) { try Declaration(decoding: Array(bytes[..<count])) }
        }
    }
}
