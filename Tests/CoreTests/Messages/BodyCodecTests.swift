import Core
import TestSupport
import Testing

@Suite("Bodies")
struct BodyCodecTests {
    private let todo = CollectionID.number(1)

    @Test("a record comes back from its body, and the body from the record")
    func recordsComeBack() throws {
        var random = RandomRecords(seed: 41)
        for round in 0..<600 {
            let record = random.record()
            let collection: CollectionID = round.isMultiple(of: 3) ? .text("books") : todo
            let body = BodyCodec.encode(record, in: collection)
            let back = try BodyCodec.decode(body, clock: record.clock, allowElided: false)
            #expect(back.record == record)
            #expect(back.collection == collection)
            #expect(BodyCodec.encode(back.record, in: back.collection) == body)
        }
    }

    @Test("of writes that the reader has only the fields' names come over")
    func knownWritesComeBare() throws {
        var random = RandomRecords(seed: 42)
        for _ in 0..<400 {
            let record = random.record()
            let known = random.seen(in: record.clock)
            let body = BodyCodec.encode(record, in: todo, known: known)
            let back = try BodyCodec.decode(body, clock: record.clock).record
            #expect(BodyCodec.encode(back, in: todo, known: known) == body)
            for (whole, came) in zip(record.writes, back.writes) {
                #expect(came.dot == whole.dot)
                #expect(came.assignments.map(\.field) == whole.assignments.map(\.field))
                let isBare = came.assignments.allSatisfy(\.value.isElided)
                #expect(known.covers(whole.dot) && !whole.isDelete ? isBare : came == whole)
            }
            if known.isEmpty { continue }
            let hasBare = back.hasElidedValue
            let strict = try? BodyCodec.decode(body, clock: record.clock, allowElided: false)
            #expect((strict == nil) == hasBare)
        }
    }

    @Test("fields under 64 are named by one number, any other by a list")
    func fieldsAreNamedShortly() {
        func body(_ fields: [Field]) -> [UInt8] {
            let record = RecordState(
                clock: SmallWorld.vector([1]),
                writes: [
                    Write(
                        dot: Dot(replica: SmallWorld.replica(0), counter: 1), timestamp: .zero,
                        assignments: fields.map { Assignment($0, .null) })
                ])
            return BodyCodec.encode(record, in: todo, known: record.clock)
        }
        #expect(body([.number(2), .number(3)]) == HexText.decode("82 01 83 00 00 0c"))
        #expect(body([.number(63)]) == HexText.decode("82 01 83 00 00 1b 8000000000000000"))
        #expect(body([.number(2), .number(64)]) == HexText.decode("82 01 83 00 00 82 02 1840"))
        #expect(body([.text("a")]) == HexText.decode("82 01 83 00 00 81 61 61"))
    }

    @Test("a body cut short anywhere is refused, and so is one with bytes behind it")
    func truncationIsRefused() {
        var random = RandomRecords(seed: 43)
        for _ in 0..<60 {
            let record = random.record()
            let body = BodyCodec.encode(record, in: todo)
            for count in body.indices {
                #expect(Reading.body(Array(body[..<count]), record.clock) == .failure(.truncated))
            }
            #expect(Reading.body(body + [0], record.clock) == .failure(.trailingBytes))
        }
    }

    // Goal: no two bodies mean the same record beside one clock, and no byte makes the decoder trap.
    // Method: every other value for every byte of random bodies.
    @Test("a body with any byte changed is refused or means another record with just these bytes")
    func changedBytesAreUnique() {
        var random = RandomRecords(seed: 44)
        var (refused, taken) = (0, 0)
        for _ in 0..<12 {
            let record = random.record(writesMax: 3)
            let body = BodyCodec.encode(record, in: todo)
            for index in body.indices {
                var changed = body
                for value in 0...255 as ClosedRange<UInt8> where value != body[index] {
                    changed[index] = value
                    guard let back = try? BodyCodec.decode(changed, clock: record.clock) else {
                        refused += 1
                        continue
                    }
                    taken += 1
                    #expect(encode(back.record, in: back.collection) == changed)
                    #expect(back.record.isWellFormed)
                }
            }
        }
        #expect(refused > 1000 && taken > 1000, "\(refused) refused, \(taken) taken")
    }

    /// The body of a record of which any write may have come without values.
    private func encode(_ record: RecordState, in collection: CollectionID) -> [UInt8] {
        var writer = CanonicalWriter()
        writer.array(1 + record.writes.count)
        BodyCodec.write(collection, to: &writer)
        for write in record.writes {
            let one = RecordState(clock: record.clock, writes: [write])
            let isBare = write.assignments.contains(where: \.value.isElided)
            let body = BodyCodec.encode(one, in: .number(0), known: isBare ? record.clock : nil)
            writer.bytes.append(contentsOf: body.dropFirst(2))
        }
        return writer.bytes
    }

    @Test("random bytes never trap, and what is taken is canonical")
    func randomBytesAreSafe() {
        var random = RandomRecords(seed: 45)
        for _ in 0..<4000 {
            let clock = random.vector(replicas: 3)
            var bytes = BodyCodec.encode(random.record(), in: todo)
            for _ in 0...random.chance.below(6) {
                bytes[random.chance.below(bytes.count)] = random.chance.bytes(1)[0]
            }
            if let back = try? BodyCodec.decode(bytes, clock: clock) {
                #expect(encode(back.record, in: back.collection) == bytes)
            }
        }
    }

    @Test("unknown fields, kinds of value and collections come back untouched")
    func unknownIsKept() throws {
        let unknown = Value.unknown(HexText.decode("8209a1636b657982f5f6"))
        let record = RecordState(
            clock: SmallWorld.vector([1]),
            writes: [
                Write(
                    dot: Dot(replica: SmallWorld.replica(0), counter: 1), timestamp: .zero,
                    assignments: [
                        Assignment(.number(4_000_000_000), unknown),
                        Assignment(.text("from the future"), .int(1)),
                        Assignment(.element(.number(77), unknown), .bool(true)),
                    ])
            ])
        let body = BodyCodec.encode(record, in: .number(99))
        let back = try BodyCodec.decode(body, clock: record.clock)
        #expect(back.record == record)
        #expect(back.collection == .number(99))
    }
}
