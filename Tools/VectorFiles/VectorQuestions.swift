import Core
import JSON

/// The questions of each kind, made from samples and from bytes that are wrong.
enum VectorQuestions {
    static func question(_ name: String, _ pairs: JSON.Pair...) -> JSON {
        .object([.init("name", .text(name))] + pairs)
    }

    static func hex(_ bytes: [UInt8], _ name: String = "hex") -> JSON.Pair {
        .init(name, .text(Hexadecimal.text(bytes)))
    }

    static func hex(_ text: String) -> JSON.Pair {
        .init("hex", .text(text.filter { $0 != " " }))
    }

    static let versionVectors: [JSON] = {
        let vectors = [(0, 0), (1, 0), (0, 1), (2, 1), (1, 300)].map {
            MessageSamples.vector($0.0, $0.1)
        }
        return vectors.flatMap { left in
            vectors.map { right in
                question(
                    "\(vectors.firstIndex(of: left) ?? 0) and \(vectors.firstIndex(of: right) ?? 0)",
                    .init("left", Readable.vector(left)), .init("right", Readable.vector(right)))
            }
        }
    }()

    static let timestamps: [JSON] = {
        let now: Int64 = 1_790_000_000_000
        let cases: [(String, Int64, UInt64, [Int64])] = [
            ("the wall clock leads", now - 5, 9, [now, now + 1]),
            ("the count grows within a millisecond", now, 0, [now, now, now]),
            ("the wall clock stands in 2001", now, 0, [978_307_200_000, 978_307_200_000]),
            ("60 s ahead are followed", now + 60_000, 0, [now]),
            ("more than 60 s ahead are not", now + 60_001, 0, [now, now, now + 1]),
            ("the count carries", now, 65_535, [now, now]),
            ("before 1970", 0, 0, [-1, -2, -60_000]),
            ("a seen time before a negative wall clock", 500, 0, [-60_000, -59_900, 1]),
            ("beyond 48 bits", 0, 0, [.max, .max]),
        ]
        return cases.map { name, milliseconds, count, walls in
            let seen = HybridTimestamp(milliseconds: milliseconds).rawValue | count
            return question(
                name, .init("seen", .number(seen)),
                .init("walls", .list(walls.map { .number($0) })))
        }
    }()

    static let values: [JSON] = {
        let good: [Value] = [
            .null, .bool(false), .bool(true), .int(0), .int(23), .int(24), .int(-1), .int(.max),
            .int(.min), .double(0), .double(-0.0), .double(1.5), .double(65_504), .double(0.1),
            .double(100_000), .double(0x1p-24), .double(.infinity), .double(.nan), .text(""),
            .text("Milk"), .text("caf\u{e9}"), .text("cafe\u{301}"), .bytes([1, 2, 3]),
            .instant(1_790_000_000_000), .instant(-1), .day(20_000), .day(-719_162),
            .reference(MessageSamples.milk), .reference(MessageSamples.twin),
            .unknown([0x82, 0x18, 0x63, 0xa1, 0x01, 0xf5]),
            .elided,
        ]
        return good.map { question("\($0)".onOneLine, hex($0.canonicalBytes)) }
            + BadBytes.values.map { question($0.name, hex($0.hex)) }
    }()

    static let records: [JSON] =
        RecordSamples.all.map { name, record in
            question(
                name, .init("clock", Readable.vector(record.clock)),
                hex(BodyCodec.encode(record, in: .number(1))))
        }
        + [
            question(
                "values left out by their bits",
                .init("clock", Readable.vector(RecordSamples.todo.clock)),
                hex(
                    BodyCodec.encode(
                        RecordSamples.todo, in: .text("books"), known: RecordSamples.todo.clock))),
            question(
                "values left out by a list of names",
                .init("clock", Readable.vector(RecordSamples.conflict.clock)),
                hex(
                    BodyCodec.encode(
                        RecordSamples.conflict, in: .number(1), known: MessageSamples.vector(0, 2)))
            ),
        ]
        + BadBytes.bodies.map {
            question(
                $0.name, .init("clock", Readable.vector(MessageSamples.vector(3, 2))), hex($0.hex))
        }

    static let merges: [JSON] = {
        func side(_ record: RecordState) -> JSON {
            .object([
                .init("clock", Readable.vector(record.clock)),
                hex(BodyCodec.encode(record, in: .number(1))),
            ])
        }
        let all = RecordSamples.all.filter { $0.record != RecordSamples.foreign }
        return all.indices.flatMap { left in
            all[left...].map { right in
                question(
                    "\(all[left].name) and \(right.name)", .init("left", side(all[left].record)),
                    .init("right", side(right.record)))
            }
        }
    }()

    static let changes: [JSON] =
        MessageSamples.batches.map { question($0.name, hex(Message.encode($0.message))) }
        + BadBytes.batches.map { question($0.name, hex($0.hex)) }

    static let messages: [JSON] =
        MessageSamples.messages.map { question($0.name, hex(Message.encode($0.message))) }
        + BadBytes.messages.map { question($0.name, hex($0.hex)) }

    static let frames: [JSON] = {
        let (ping, bye) = (Frame.encode(.ping(1)), Frame.encode(.bye))
        let bare = Frame.encode(.ping(1), hasChecksum: false)
        func frames(_ name: String, _ bytes: [UInt8], checksum: Bool = true) -> JSON {
            question(name, .init("checksum", .bool(checksum)), hex(bytes))
        }
        var wrong = ping
        wrong[wrong.count - 1] ^= 1
        return [
            frames("nothing", []), frames("one frame", ping), frames("two frames", ping + bye),
            frames("a frame and the start of another", ping + bye.dropLast()),
            frames("a length alone", [0, 0, 0, 4]),
            frames("without checksums", bare + bare, checksum: false),
            frames("a wrong checksum", wrong), frames("good, then wrong", bye + wrong),
            frames("longer than the limit", [0, 0x10, 0, 1]),
            frames("as long as the limit, on its way", [0, 0x10, 0, 0]),
            frames("an empty message", [0, 0, 0, 0], checksum: false),
            frames("a message of one byte too many", [0, 0, 0, 4, 0xa1, 0, 9, 0], checksum: false),
        ]
    }()

    static let hashes: [JSON] = {
        let key = (0..<16).map { UInt8($0) }
        let reference = (0..<64).map { count in
            question(
                "reference, \(count) bytes", .init("key", .text(Hexadecimal.text(key))),
                hex((0..<count).map { UInt8($0) }))
        }
        let zero = JSON.Pair("key", .text(String(repeating: "0", count: 32)))
        return reference + [
            question("key of zeros, a ping", zero, hex(Message.encode(.ping(1))))
        ]
    }()

    static let summaryRows: [JSON] = {
        func question(_ name: String, _ about: ReplicaID?, _ hex: JSON.Pair) -> JSON {
            let replica: JSON = about.map { .text(Hexadecimal.text($0.bytes)) } ?? .null
            return .object([.init("name", .text(name)), .init("about", replica), hex])
        }
        return MessageSamples.summaryRows.map {
            question($0.name, $0.content.about, hex($0.content.bytes))
        }
            + BadBytes.summaryRows.map { question($0.name, MessageSamples.alice, hex($0.hex)) }
            + BadBytes.summaryDigests.map { question($0.name, nil, hex($0.hex)) }
    }()

    static let checksums: [JSON] = {
        func item(_ name: RecordName, _ record: RecordState) -> JSON {
            .object([
                .init("collection", Readable.name(name.collection)),
                .init("id", Readable.id(name.id)), .init("clock", Readable.vector(record.clock)),
                hex(BodyCodec.encode(record, in: name.collection)),
            ])
        }
        let (milk, bread) = (
            item(MessageSamples.milk, RecordSamples.conflict),
            item(MessageSamples.bread, RecordSamples.tombstone)
        )
        // The same record in all but its collection, whose name is hashed as well.
        let twin = item(MessageSamples.twin, RecordSamples.conflict)
        // As `item`, with what its record could not integrate yet.
        func deferring(_ item: JSON, _ clocks: VersionVector...) -> JSON {
            guard case .object(let pairs) = item else {
                preconditionFailure("an item is an object")
            }
            return .object(pairs + [.init("deferred", .list(clocks.map(Readable.vector)))])
        }
        let unread = JSON.object([
            .init("collection", Readable.name(MessageSamples.bread.collection)),
            .init("id", Readable.id(MessageSamples.bread.id)),
        ])
        let cases = [
            ("no record", []), ("one", [milk]), ("two", [milk, bread]),
            ("two, the other way round", [bread, milk]),
            ("the id of the first in another collection", [twin]),
            ("one id in two collections", [milk, twin]),
            (
                "one with two deferred changes, which counts once, with the join of all three",
                [deferring(milk, MessageSamples.vector(4, 1), MessageSamples.vector(2, 5, 300))]
            ),
            (
                "one with a concurrent deferred change",
                [deferring(milk, MessageSamples.vector(1, 5))]
            ),
            (
                "one, and deferred changes alone of another",
                [
                    milk,
                    deferring(unread, MessageSamples.vector(0, 9), MessageSamples.vector(7, 8)),
                ]
            ),
        ]
        return ["00000000000000000000000000000000", "000102030405060708090a0b0c0d0e0f"].flatMap {
            key in
            cases.map { name, items in
                question(
                    "\(name), key \(key)", .init("key", .text(key)), .init("records", .list(items)))
            }
        }
    }()
}

extension String {
    /// The text with escapes for what would break a line or hide its form.
    fileprivate var onOneLine: String {
        unicodeScalars.map { $0.isASCII ? String($0) : "U+" + String($0.value, radix: 16) }.joined()
    }
}
