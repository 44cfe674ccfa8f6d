import Core
import TestSupport
import Testing
import VectorFiles

@Suite("Messages")
struct MessageCodecTests {
    private static let samples = MessageSamples.messages + MessageSamples.batches

    private func bytes(_ text: String) -> [UInt8] { HexText.decode(text) }

    @Test("every kind of message comes back from its bytes")
    func messagesComeBack() throws {
        var kinds: Set<UInt64> = []
        for (name, message) in Self.samples {
            let bytes = Message.encode(message)
            let back = try Message.decode(bytes)
            #expect(back == message, "\(name)")
            #expect(Message.encode(back) == bytes, "\(name)")
            kinds.insert(message.kind)
        }
        #expect(kinds.isSuperset(of: 1...14))
        for kind in 0...255 as ClosedRange<UInt64> where Message.name(ofKind: kind) != nil {
            #expect(kinds.contains(kind), "no sample of kind \(kind)")
        }
    }

    @Test("a kind has one name, which a message of it has as well")
    func kindsHaveNames() {
        var kinds: [String: UInt64] = [:]
        for (name, message) in Self.samples {
            let known = Message.name(ofKind: message.kind)
            #expect(message.name == known ?? "ignorable", "\(name)")
            guard let known else { continue }
            #expect(kinds[known, default: message.kind] == message.kind, "\(name)")
            kinds[known] = message.kind
        }
        #expect(kinds.count == 25)
    }

    @Test("random batches come back, their clocks told by one table of replicas")
    func batchesComeBack() throws {
        var random = RandomRecords(seed: 51)
        for _ in 0..<150 {
            let changes = (0..<random.chance.below(6)).map { _ in
                let record = random.record()
                return Change(
                    id: RecordID(value: random.chance.wide()), clock: record.clock,
                    body: BodyCodec.encode(record, in: .number(1)))
            }
            let message = Message.changes(ChangeBatch(changes: changes, through: nil))
            #expect(try Message.decode(Message.encode(message)) == message)
        }
    }

    @Test("a message cut short anywhere is refused, and so is one with bytes behind it")
    func truncationIsRefused() {
        for (name, message) in Self.samples {
            let bytes = Message.encode(message)
            for count in bytes.indices {
                #expect(Reading.message(Array(bytes[..<count])) == .failure(.truncated), "\(name)")
            }
            #expect(Reading.message(bytes + [0]) == .failure(.trailingBytes), "\(name)")
        }
    }

    // Goal: no byte makes the decoder trap, and each accepted text has one meaning and one form.
    // Method: every other value for every byte of every sample. What is taken is written again: the same
    // bytes, or (where a newer version's keys were passed over) fewer that mean the same.
    @Test("a message with any byte changed is refused or means one thing")
    func changedBytesAreSafe() {
        var (refused, same, passedOver) = (0, 0, 0)
        for (name, message) in Self.samples {
            let bytes = Message.encode(message)
            for index in bytes.indices {
                var changed = bytes
                for value in values(for: index, instead: bytes[index]) {
                    changed[index] = value
                    guard let back = try? Message.decode(changed) else {
                        refused += 1
                        continue
                    }
                    let again = Message.encode(back)
                    if again == changed {
                        same += 1
                    } else {
                        passedOver += 1
                        #expect(
                            (try? Message.decode(again)) == back, "\(name), byte \(index)")
                    }
                }
            }
        }
        #expect(refused > 5000 && same > 5000)
        #expect(
            passedOver < same / 10, "\(refused) refused, \(same) same, \(passedOver) passed over")
    }

    /// All other values for a byte of the start, and one for each bit further on.
    private func values(for index: Int, instead byte: UInt8) -> [UInt8] {
        index < 48 ? (0...255).filter { $0 != byte } : (0..<8).map { byte ^ 1 << UInt8($0) }
    }

    @Test("random bytes never trap")
    func randomBytesAreSafe() {
        var chance = SplitMix64(seed: 52)
        for _ in 0..<5000 {
            let kind = UInt8(chance.below(16))
            let start: [UInt8] = [0xa0 | UInt8(1 + chance.below(5)), 0, kind, 1]
            let bytes = start + chance.bytes(chance.below(40))
            if let message = try? Message.decode(bytes) {
                let again = Message.encode(message)
                #expect((try? Message.decode(again)) == message)
            }
        }
    }

    @Test("a key that is unknown here is passed over, whatever it holds")
    func unknownKeys() throws {
        for value in ["00", "60", "82 01 a1 61 61 f5", "f9 3c00", "c1 00"] {
            let message = try Message.decode(bytes("a3 00 07 01 05 18 63 \(value)"))
            #expect(message == .ping(5))
        }
        #expect(Reading.message(bytes("a3 00 07 01 05 18 63 18 00")).fault == .notDeterministic)
    }

    @Test("kinds from 128 on may be skipped, lower ones that are unknown may not")
    func unknownKinds() throws {
        #expect(try Message.decode(bytes("a1 00 18 80")) == .ignorable(128))
        #expect(try Message.decode(bytes("a2 00 19 ffff 01 60")) == .ignorable(65_535))
        for kind in [0, 15, 19] as [UInt8] {
            let fault = Reading.message([0xa1, 0, kind]).fault
            #expect(fault == .unknownMessage(UInt64(kind)))
        }
        #expect(Reading.message(bytes("a1 00 18 7f")).fault == .unknownMessage(127))
    }

    @Test("each key that a message must have is missed")
    func missingKeys() {
        let cases: [(String, Int)] = [
            ("a0", 0), ("a1 01 07", 0), ("a1 00 01", 1), ("a1 00 02", 1), ("a2 00 02 01 40", 2),
            ("a3 00 02 02 80 03 80", 1), ("a1 00 03", 1),
            ("a1 00 04", 1), ("a1 00 05", 3), ("a1 00 06", 1), ("a1 00 07", 1), ("a1 00 08", 1),
            ("a1 00 0a", 3), ("a1 00 0d", 1), ("a1 00 0e", 1), ("a2 00 01 01 82 01 01", 2),
        ]
        for (text, key) in cases {
            let fault = Reading.message(bytes(text)).fault
            guard case .missingKey(let missed)? = fault else {
                Issue.record("\(text): \(String(describing: fault))")
                continue
            }
            if key != 3 { #expect(missed == key, "\(text)") }
        }
    }

    @Test("a message without one of its keys is refused, or is the one that is written without it")
    func keysLeftOut() throws {
        var (refused, written) = (0, 0)
        for (name, message) in Self.samples {
            let bytes = Message.encode(message)
            for (key, pair) in try pairs(of: bytes) where key != 0 {
                var without = bytes
                without.removeSubrange(pair)
                without[0] -= 1
                guard let back = try? Message.decode(without) else {
                    refused += 1
                    continue
                }
                written += 1
                #expect(Message.encode(back) == without, "\(name) without key \(key)")
            }
        }
        #expect(refused > 150 && written > 40, "\(refused) refused, \(written) written so")
    }

    /// The bytes of each pair of a message, by its key.
    private func pairs(of bytes: [UInt8]) throws -> [(key: UInt64, bytes: Range<Int>)] {
        try Reading.item(bytes) { reader throws(WireFault) in
            var pairs: [(key: UInt64, bytes: Range<Int>)] = []
            for _ in 0..<(try reader.map(max: 64, .messageKeys)) {
                let start = reader.offset
                let key = try reader.unsigned()
                _ = try reader.skip()
                pairs.append((key, start..<reader.offset))
            }
            return pairs
        }.get()
    }

    @Test("a hello that lacks a key is told which")
    func helloKeys() {
        let (id, end) = ("50" + String(repeating: "0", count: 32), "05 82 01 00")
        func fault(_ count: Int, _ rest: String) -> WireFault? {
            Reading.message(bytes("a\(count) 00 01 01 82 01 01 \(rest)")).fault
        }
        #expect(fault(6, "02 \(id) 03 00 04 \(id) \(end)") == nil)
        #expect(fault(5, "03 00 04 \(id) \(end)") == .missingKey(2))
        #expect(fault(5, "02 \(id) 04 \(id) \(end)") == .missingKey(3))
        #expect(fault(5, "02 \(id) 03 00 \(end)") == .missingKey(4))
        #expect(fault(5, "02 \(id) 03 00 04 \(id)") == .missingKey(5))
        let hello = "02 \(id) 03 00 04 \(id) \(end)"
        #expect(fault(7, "\(hello) 06 \(id)") == .missingKey(7))
        #expect(fault(7, "\(hello) 07 \(id)") == .missingKey(6))
        #expect(fault(7, "\(hello) 0c 00") == .missingKey(6))
        #expect(fault(8, "\(hello) 06 \(id) 07 \(id)") == .missingKey(12))
        #expect(fault(9, "\(hello) 06 \(id) 07 \(id) 0c 00") == nil)
        #expect(fault(7, "\(hello) 0b 00") == .notDeterministic)
        #expect(fault(6, "02 \(id) 03 02 04 \(id) \(end)") == .outOfRange(.deletePolicy))
        #expect(fault(6, "02 \(id) 03 19 0100 04 \(id) \(end)") == .outOfRange(.deletePolicy))
    }

    @Test("a hello that speaks only other versions may hold anything, and says its versions")
    func foreignHello() throws {
        for rest in ["", "02 61 61", "03 18 ff 04 a1 00 00 06 f6"] {
            let pairs = [0, 1, 3][["", "02 61 61"].firstIndex(of: rest) ?? 2]
            let message = try Message.decode(
                bytes("a\(2 + pairs) 00 01 01 82 02 05 \(rest)"))
            guard case .hello(let hello) = message else {
                Issue.record("\(message)")
                continue
            }
            #expect(hello.versionMin == 2 && hello.versionMax == 5)
        }
        #expect(Reading.message(bytes("a2 00 01 01 82 02 01")).fault == .outOfRange(.versions))
        // A peer that speaks this version as well is held to it.
        #expect(Reading.message(bytes("a3 00 01 01 82 01 05 02 61 61")).fault != nil)
    }

    @Test("counters stay below 2 to the 63, so that a store can hold them")
    func countersAreBounded() {
        let zeros = String(repeating: "0", count: 32)
        let most = "1b 7fffffffffffffff"
        let over = "1b 8000000000000000"
        let cases = [
            "a2 00 04 01 82 01 #",
            "a4 00 04 01 82 01 01 02 81 83 50 \(zeros) # 50 \(zeros) 04 50 \(zeros)",

            "a4 00 0d 01 50 \(zeros) 02 # 03 80", "a4 00 0d 01 50 \(zeros) 02 01 03 82 01 #",
            "a2 00 0e 01 85 f6 01 # 01 f6", "a2 00 0e 01 85 f6 01 01 # f6",
            "a4 00 02 01 50 \(zeros) 02 81 01 03 84 00 50 \(zeros) 82 00 # 40",
            "a5 00 02 01 40 02 80 03 80 05 83 50 \(zeros) 01 #",
        ]
        for text in cases {
            func fault(_ counter: String) -> WireFault? {
                let whole = text.split(separator: "#", omittingEmptySubsequences: false)
                return Reading.message(bytes(whole.joined(separator: counter))).fault
            }
            #expect(fault(most) == nil, "\(text)")
            #expect(fault(over) == .outOfRange(.counter), "\(text)")
        }
    }

    @Test("lists over their limits are refused before they are read")
    func listsAreBounded() {
        let cases: [(String, WireFault)] = [
            ("b8 41", .overLimit(.messageKeys, max: 64)),
            ("a3 00 06 01 80 02 99 2001", .overLimit(.wantedRecords, max: 4096)),
            ("a2 00 06 01 99 0401", .overLimit(.collectionTable, max: 1024)),
            ("a3 00 02 01 40 02 99 0401", .overLimit(.collectionTable, max: 1024)),
            ("a2 00 0d 03 99 0201", .overLimit(.history, max: 256)),
            ("a4 00 02 01 40 02 80 03 99 4001", .overLimit(.batchChanges, max: 4096)),
            ("a2 00 02 01 5a 00100001", .overLimit(.replicaTable, max: 1_048_576)),
            ("a2 00 10 01 83 51 01", .overLimit(.summaryBound, max: 16)),
            ("a2 00 05 06 5a 00080001", .overLimit(.bodyPart, max: 524_288)),
            ("a2 00 0a 02 79 0401", .overLimit(.text, max: 1024)),
        ]
        for (text, fault) in cases {
            let message = bytes(text) + [UInt8](repeating: 0, count: 20_000)
            #expect(Reading.message(message).fault == fault, "\(text)")
        }
    }

    @Test("a list of ids promises no more than the bytes behind it hold")
    func listsOfIDsAreBoundedByBytes() {
        // Each head tells of 8,192 elements, far fewer bytes than these take.
        for text in [
            "a4 00 04 01 82 01 01 02 99 2000", "a2 00 02 05 99 2000", "a2 00 05 03 99 2000",
            "a2 00 10 01 99 2000", "a2 00 11 01 99 2000",
        ] {
            let message = bytes(text) + [UInt8](repeating: 0, count: 8_000)
            #expect(Reading.message(message).fault == .truncated, "\(text)")
        }
    }
}
