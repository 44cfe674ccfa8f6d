import Core
import Testing

@Suite("Names of records")
struct RecordNameTests {
    private static let collections: [CollectionID] = [
        .number(0), .number(1), .number(.max), .text("a"), .text("#1"), .text("a/b"), .text("=x"),
    ]
    private static let names = collections.flatMap { collection in
        [0, 1, UInt128.max].map { RecordName(collection, RecordID(value: $0)) }
    }

    @Test("a name reads back from its text, and no other name has that text")
    func text() {
        for name in Self.names {
            #expect(RecordName(name.description) == name)
        }
        #expect(Set(Self.names.map(\.description)).count == Self.names.count)
        let id = RecordID(value: 1).description
        for text in [
            "", id, "/\(id)", "=/\(id)", "#/\(id)", "#4294967296/\(id)", "x/\(id)", "#1/12",
        ] {
            #expect(RecordName(text) == nil, "\(text)")
        }
    }

    @Test("names sort by collection, then by id, and one id in two collections is two names")
    func order() {
        #expect(Self.names.reversed().sorted() == Self.names.sorted())
        for (left, right) in zip(Self.names.sorted(), Self.names.sorted().dropFirst()) {
            #expect(left < right)
            #expect(
                left.collection < right.collection
                    || left.collection == right.collection && left.id < right.id)
        }
        #expect(Set(Self.names).count == Self.names.count)
        #expect(Set(Self.names.map(\.bytes)).count == Self.names.count)
    }

    @Test("a collection reads back from its canonical bytes, and from no others")
    func canonicalBytes() {
        for collection in Self.collections {
            let bytes = collection.canonicalBytes
            #expect(CollectionID(canonicalBytes: bytes) == collection)
            #expect(CollectionID(canonicalBytes: bytes + [0]) == nil)
            #expect(CollectionID(canonicalBytes: Array(bytes.dropLast())) == nil)
        }
        for bytes: [UInt8] in [[], [0x18, 1], [0x60], [0xf6], [0x20]] {
            #expect(CollectionID(canonicalBytes: bytes) == nil)
        }
    }

    @Test("a body of another collection than the change's name is no body of it")
    func bodies() throws {
        let write = Write(
            dot: Dot(replica: ReplicaID(value: 1), counter: 1), timestamp: .zero,
            assignments: [Assignment(.number(2), .text("milk"))])
        let record = RecordState(clock: VersionVector(write.dot), writes: [write])
        for collection in Self.collections {
            let body = BodyCodec.encode(record, in: collection)
            for other in Self.collections {
                let change = Change(
                    RecordName(other, RecordID(value: 1)), clock: record.clock, body: body)
                if other == collection {
                    #expect(try change.record() == record)
                } else {
                    #expect(throws: WireFault.outOfRange(.collection)) { try change.record() }
                }
            }
        }
    }

    @Test("a reference to one id in two collections leads to two records, and cycles are over both")
    func references() {
        let id = RecordID(value: 5)
        let (todo, list) = (RecordName(.number(1), id), RecordName(.text("lists"), id))
        let other = RecordName(.number(1), RecordID(value: 6))
        func edge(_ source: RecordName, _ target: RecordName, _ time: UInt64) -> ReferenceRule.Edge
        {
            ReferenceRule.Edge(
                source: source, target: target, timestamp: HybridTimestamp(rawValue: time),
                dot: Dot(replica: ReplicaID(value: 1), counter: time))
        }
        // No cycle: the two ends only look alike.
        let chain = [edge(todo, other, 1), edge(other, list, 2)]
        #expect(ReferenceRule.followed(chain) { _ in true } == [todo: other, other: list])
        #expect(ReferenceRule.followed(chain) { $0 != list } == [todo: other])
        let cycle = chain + [edge(list, todo, 3)]
        #expect(ReferenceRule.followed(cycle) { _ in true } == [todo: other, other: list])
    }
}
