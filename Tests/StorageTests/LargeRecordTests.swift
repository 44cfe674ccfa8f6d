import Core
import Storage
import TestSupport
import Testing

@Suite("Records that several devices have made large")
struct LargeRecordTests {
    private static let tags = FieldName.number(8)

    private static func tag(_ number: Int) -> Assignment {
        Assignment(.element(tags, .text("tag \(number)")), .bool(true))
    }

    private static func tagged(_ id: RecordName, _ numbers: Range<Int>, in store: Store) throws {
        try store.write { try $0.update(id, numbers.map(tag)) }
    }

    /// How many tags two devices give one to-do, each as many as its edit may.
    private static let most = RecordLimits.localFreeValueCountMax - 8

    /// Two stores whose to-do is larger than either could have made it.
    private static func pair() throws -> (a: Store, b: Store, id: RecordName) {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = RecordName(StoreWorld.todo, try StoreWorld.add("shared", to: a))
        try StoreWorld.mingle([a, b])
        try tagged(id, 0..<most, in: a)
        try tagged(id, most..<2 * most, in: b)
        try StoreWorld.mingle([a, b])
        return (a, b, id)
    }

    private static func record(_ id: RecordName, in store: Store) throws -> RecordState {
        try #require(try store.record(id)).record
    }

    @Test("tags that two devices gave apart are all there, on both")
    func merged() throws {
        let (a, b, id) = try Self.pair()
        for store in [a, b] {
            #expect(try Self.record(id, in: store).elements(of: Self.tags).count == 2 * Self.most)
            #expect(try store.summary().deferredCount == 0)
            #expect(try store.examine() == [])
        }
        #expect(try Self.record(id, in: a) == Self.record(id, in: b))
    }

    @Test("it can be edited, tidied, deleted, restored and purged, but not made larger")
    func edited() throws {
        let (a, b, id) = try Self.pair()
        try StoreWorld.rename(id.id, "renamed", in: a)
        try a.write { transaction in
            try transaction.update(
                id, [Assignment(.element(Self.tags, .text("tag 1")), .bool(false))])
        }
        #expect(
            throws: StoreFault.overLimit(
                .recordValues, max: RecordLimits.localFreeValueCountMax)
        ) { try Self.tagged(id, 9_000..<9_001, in: a) }
        // It can be done, which gives it a field more.
        try a.write { try $0.update(id, [Assignment(.number(3), .text("completed"))]) }
        try StoreWorld.mingle([a, b])
        #expect(try StoreWorld.titles(b) == ["renamed"])
        #expect(try Self.record(id, in: b).elements(of: Self.tags).count == 2 * Self.most - 1)
        try b.write { try $0.delete(id) }
        try StoreWorld.mingle([a, b])
        #expect(try StoreWorld.titles(a) == [])
        try a.write { try $0.restore(id) }
        try StoreWorld.mingle([a, b])
        #expect(try StoreWorld.titles(b) == ["renamed"])
        #expect(try Self.record(id, in: b).elements(of: Self.tags).count == 2 * Self.most - 1)
        try b.write { transaction in
            try transaction.delete(id)
            try transaction.purge(id, isForced: true)
        }
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            #expect(try Self.record(id, in: store).assignmentCount == 0)
            #expect(try store.examine() == [])
        }
    }

    @Test("once enough tags are gone others can be added")
    func tidied() throws {
        let (a, _, id) = try Self.pair()
        try a.write { transaction in
            try transaction.update(
                id,
                (0..<Self.most).map {
                    Assignment(.element(Self.tags, .text("tag \($0)")), .bool(false))
                })
        }
        try Self.tagged(id, 9_000..<9_008, in: a)
        #expect(
            throws: StoreFault.overLimit(.recordValues, max: RecordLimits.localFreeValueCountMax)
        ) { try Self.tagged(id, 9_008..<9_009, in: a) }
    }

    @Test("fields of a record that others made longer than an edit may can be shortened")
    func shortened() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = RecordName(StoreWorld.todo, try StoreWorld.add("shared", to: a))
        try StoreWorld.mingle([a, b])
        let text = String(repeating: "x", count: RecordLimits.valueByteCountMax - 16)
        for (store, first) in [(a, 0), (b, 100)] {
            try store.write { transaction in
                try transaction.update(
                    id,
                    (first..<first + 15).map { Assignment(.text("f\($0)"), .text(text)) })
            }
        }
        try StoreWorld.mingle([a, b])
        try a.write { try $0.update(id, [Assignment(.text("f0"), .text("short"))]) }
        try StoreWorld.rename(id.id, "none", in: a)
        #expect(
            throws: StoreFault.overLimit(.recordBytes, max: RecordLimits.localBodyByteCountMax)
        ) { try StoreWorld.rename(id.id, String(repeating: "long ", count: 1_000), in: a) }
        try StoreWorld.mingle([a, b])
        #expect(try Self.record(id, in: a) == Self.record(id, in: b))
    }

    // MARK: Made by a member

    /// A shape of a record, full to the last assignment.
    enum Shape: String, CaseIterable, Sendable {
        case siblings, elements, names
        case elementsOfOneWrite, namesOfOneWrite, numbersOfOneWrite

        /// The record that holds it; each write is by a replica of its own.
        func record(count: Int) -> RecordState {
            let all = (0..<count).map(assignment)
            switch self {
            case .elementsOfOneWrite, .namesOfOneWrite, .numbersOfOneWrite:
                let dot = Dot(replica: ReplicaID(value: 7), counter: 1)
                return RecordState(
                    clock: VersionVector(unsorted: [.init(replica: dot.replica, counter: 1)]),
                    writes: [
                        Write(
                            dot: dot, timestamp: .zero,
                            assignments: all.sorted { $0.field < $1.field })
                    ])
            case .siblings, .elements, .names:
                let replicas = (0..<count).map { ReplicaID(value: UInt128($0 + 1000)) }
                return RecordState(
                    clock: VersionVector(unsorted: replicas.map { .init(replica: $0, counter: 1) }),
                    writes: zip(replicas, all).map {
                        Write(
                            dot: Dot(replica: $0, counter: 1), timestamp: .zero, assignments: [$1])
                    })
            }
        }

        private func assignment(_ number: Int) -> Assignment {
            switch self {
            case .siblings: Assignment(.number(2), .text("title \(number)"))
            case .elements, .elementsOfOneWrite: LargeRecordTests.tag(number)
            case .numbersOfOneWrite:
                Assignment(.number(UInt32(number + 100)), .int(Int64(number)))
            case .names, .namesOfOneWrite: Assignment(.text("field \(number)"), .int(Int64(number)))
            }
        }
    }

    private static func change(_ id: RecordName, _ record: RecordState) -> Change {
        Change(id, clock: record.clock, body: BodyCodec.encode(record, in: StoreWorld.todo))
    }

    @Test(
        "a full record of any shape can be merged, edited, deleted, restored and purged",
        arguments: Shape.allCases)
    func full(_ shape: Shape) throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = RecordName(StoreWorld.todo, try StoreWorld.add("shared", to: a))
        try StoreWorld.mingle([a, b])
        let count = RecordLimits.assignmentCountMax - 3
        _ = try a.integrate(
            [Self.change(id, shape.record(count: count))], from: b.replica, checkpoint: nil)
        #expect(try a.summary().deferredCount == 0)
        #expect(try Self.record(id, in: a).assignmentCount > count)
        try a.write { try $0.delete(id) }
        try a.write { try $0.restore(id) }
        try StoreWorld.rename(id.id, "renamed", in: a)
        try StoreWorld.mingle([a, b])
        #expect(try Self.record(id, in: a) == Self.record(id, in: b))
        try b.write { transaction in
            try transaction.delete(id)
            try transaction.purge(id, isForced: true)
        }
        try StoreWorld.mingle([a, b])
        for store in [a, b] { #expect(try store.examine() == []) }
    }

    @Test("a record that is full to the last assignment can be deleted")
    func deleted() throws {
        let world = StoreWorld()
        let a = try world.create("a")
        let id = RecordName(StoreWorld.todo, RecordID(value: 5))
        let record = Shape.elementsOfOneWrite.record(count: RecordLimits.assignmentCountMax)
        _ = try a.integrate([Self.change(id, record)], from: ReplicaID(value: 9), checkpoint: nil)
        #expect(try a.summary().deferredCount == 0)
        #expect(try a.write { try $0.delete(id) })
        #expect(try a.examine() == [])
    }

    /// A record of one write whose content counts as many bytes as asked for.
    private static func record(contentByteCount: Int) -> RecordState {
        let dot = Dot(replica: ReplicaID(value: 7), counter: 1)
        // A named field of three letters has 4 bytes, a long text 5 bytes besides.
        let (name, head) = (4, 5)
        var rest = contentByteCount - RecordLimits.writeByteCount
        var assignments: [Assignment] = []
        while rest > 0 {
            var count = min(rest, RecordLimits.valueByteCountMax)
            if rest > count, rest - count < 100_000 { count -= 100_000 }
            let text = String(repeating: "x", count: count - name - head)
            assignments.append(Assignment(.text("\(100 + assignments.count)"), .text(text)))
            rest -= count
        }
        return RecordState(
            clock: VersionVector(unsorted: [.init(replica: dot.replica, counter: 1)]),
            writes: [Write(dot: dot, timestamp: .zero, assignments: assignments)])
    }

    @Test(
        "a record whose content is as long as it may be can be deleted, here and where it comes to; a longer one is deferred"
    )
    func fullOfBytes() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = RecordName(StoreWorld.todo, RecordID(value: 5))
        let other = RecordName(StoreWorld.todo, RecordID(value: 6))
        let full = Self.record(contentByteCount: RecordLimits.contentByteCountMax)
        let longer = Self.record(contentByteCount: RecordLimits.contentByteCountMax + 1)
        _ = try a.integrate(
            [Self.change(id, full), Self.change(other, longer)], from: ReplicaID(value: 9),
            checkpoint: nil)
        #expect(try a.allDeferred().map(\.change.name) == [other])
        #expect(
            throws: StoreFault.overLimit(.recordBytes, max: RecordLimits.contentByteCountMax)
        ) {
            try a.write { transaction in
                try transaction.update(id, [Assignment(.text("more"), .text("x"))])
            }
        }
        #expect(try a.write { try $0.delete(id) })
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            #expect(try store.record(id)?.verdict.isDeleted == true)
            #expect(try store.allDeferred().map(\.reason) == [.overLimit])
            #expect(try store.examine() == [])
        }
        #expect(try Self.record(id, in: a) == Self.record(id, in: b))
    }

    @Test("a change that would make a record too long to be sent is deferred, and all else goes on")
    func tooLong() throws {
        let world = StoreWorld()
        let (a, b) = (try world.create("a"), try world.create("b"))
        let id = RecordName(StoreWorld.todo, RecordID(value: 5))
        let text = String(repeating: "x", count: RecordLimits.valueByteCountMax - 16)
        let count = RecordLimits.bodyByteCountMax / RecordLimits.valueByteCountMax / 2 + 1
        for author in [7, 8] {
            let dot = Dot(replica: ReplicaID(value: UInt128(author)), counter: 1)
            let record = RecordState(
                clock: VersionVector(unsorted: [.init(replica: dot.replica, counter: 1)]),
                writes: [
                    Write(
                        dot: dot, timestamp: .zero,
                        assignments: (0..<count).map {
                            Assignment(.text("\(author)\(1000 + $0)"), .text(text))
                        })
                ])
            _ = try a.integrate([Self.change(id, record)], from: dot.replica, checkpoint: nil)
        }
        #expect(try a.allDeferred().map(\.reason) == [.overLimit])
        try StoreWorld.add("another", to: b)
        try StoreWorld.mingle([a, b])
        for store in [a, b] {
            #expect(try store.summary().deferredCount == 1)
            #expect(try StoreWorld.titles(store).contains("another"))
            #expect(try store.examine() == [])
        }
    }
}
