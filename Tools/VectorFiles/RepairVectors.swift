import Core
import JSON

/// The vectors of a repair: two contents under one clock, what they become, and the recovered replica ids.
enum RepairVectors {
    private static let (title, due) = (Field.number(2), Field.number(3))
    private static let now: UInt64 = 1_790_000_000_000

    /// A write of the first replica, or of another one.
    private static func write(
        _ counter: UInt64, at milliseconds: UInt64 = 0,
        of replica: ReplicaID = MessageSamples.alice,
        isRecovered: Bool = false, _ assignments: [Assignment]
    ) -> Write {
        Write(
            dot: Dot(replica: replica, counter: counter),
            timestamp: HybridTimestamp(rawValue: (now + milliseconds) << 16),
            isRecovered: isRecovered, assignments: assignments)
    }

    private static func record(_ clock: VersionVector, _ writes: Write...) -> RecordState {
        RecordState(clock: clock, writes: writes)
    }

    private static let rye = record(
        MessageSamples.vector(2), write(2, at: 5, [Assignment(title, .text("Rye milk"))]))
    private static let almond = record(
        MessageSamples.vector(2), write(2, at: 9, [Assignment(title, .text("Almond milk"))]))
    private static let soy = record(
        MessageSamples.vector(2), write(2, at: 7, [Assignment(title, .text("Soy milk"))]))
    private static let ryeAndAlmond = united(rye, almond)

    private static func deletion(_ value: Value, clock: VersionVector) -> RecordState {
        record(
            clock, write(1, [Assignment(title, .text("Milk"))]),
            write(2, at: 5, [Assignment(.deleted, value)]))
    }

    private static let both = MessageSamples.vector(2, 1)

    private static let cases: [(name: String, left: RecordState, right: RecordState)] = [
        ("two titles under one dot", rye, almond),
        ("the other way round", almond, rye),
        ("the union and one of its parts", ryeAndAlmond, rye),
        ("the union and a third title", ryeAndAlmond, soy),
        ("two unions", ryeAndAlmond, united(rye, soy)),
        (
            "an assignment that one side has", rye,
            record(
                MessageSamples.vector(2),
                write(
                    2, at: 5, [Assignment(title, .text("Rye milk")), Assignment(due, .day(20_000))])
            )
        ),
        (
            "a write that one side has", rye,
            record(
                MessageSamples.vector(2), write(1, [Assignment(due, .day(20_000))]),
                write(2, at: 5, [Assignment(title, .text("Rye milk"))]))
        ),
        (
            "one value, two timestamps, one of them recovered", rye,
            record(
                MessageSamples.vector(2),
                write(2, at: 8, isRecovered: true, [Assignment(title, .text("Rye milk"))]))
        ),
        (
            "two elements and two kinds of value",
            record(
                MessageSamples.vector(2),
                write(
                    2,
                    [
                        Assignment(due, .day(20_000)),
                        Assignment(.element(.number(4), text: "home"), .bool(true)),
                    ])),
            record(
                MessageSamples.vector(2),
                write(
                    2,
                    [
                        Assignment(due, .instant(0)),
                        Assignment(.element(.number(4), text: "home"), .null),
                    ]))
        ),
        (
            "two clocks of one delete", deletion(.clock(MessageSamples.vector(2)), clock: both),
            deletion(.clock(both), clock: both)
        ),
        (
            "a delete and a restore under one dot", deletion(.clock(both), clock: both),
            deletion(.null, clock: both)
        ),
    ]

    private static func united(_ left: RecordState, _ right: RecordState) -> RecordState {
        RecordMerge.united(left, right) {
            SipHash().recoveredID(of: MessageSamples.milk, $0, $1)
        }
    }

    static let questions: [JSON] = cases.map { name, left, right in
        func side(_ record: RecordState) -> JSON {
            .object([
                .init("clock", Readable.vector(record.clock)),
                VectorQuestions.hex(BodyCodec.encode(record, in: .number(1))),
            ])
        }
        return VectorQuestions.question(
            name, .init("record", Readable.id(MessageSamples.milk.id)), .init("left", side(left)),
            .init("right", side(right)))
    }

    /// The union of two contents, and for each value that lost its dot the bytes that were hashed and the id.
    static func answered(_ question: JSON) -> JSON? {
        guard let id = question["record"]?.asText.flatMap({ RecordID(uuidText: $0) }),
            let left = VectorAnswers.side(question["left"]),
            let right = VectorAnswers.side(question["right"]), left.collection == right.collection,
            RecordMerge.canUnite(left.record, right.record)
        else { return nil }
        let name = RecordName(left.collection, id)
        var (recovered, agree): ([JSON], Bool) = ([], true)
        let united = RecordMerge.united(left.record, right.record) { dot, assignment in
            let replica = SipHash().recoveredID(of: name, dot, assignment)
            let hashed = hashed(name, dot, assignment)
            agree = agree && replica == .recoveredID(SipHash().hash128(hashed))
            recovered.append(
                .object([
                    .init("dot", .list([Readable.id(dot.replica), .number(dot.counter)])),
                    .init("field", Readable.field(assignment.field)),
                    .init("value", Readable.value(assignment.value)),
                    .init("hashed", .text(Hexadecimal.text(hashed))),
                    .init("replica", Readable.id(replica)),
                ]))
            return replica
        }
        if !agree { return nil }
        let body = BodyCodec.encode(united, in: left.collection)
        return VectorAnswers.adding(
            [
                .init("clock", Readable.vector(united.clock)), VectorQuestions.hex(body, "united"),
                .init("value", Readable.writes(united, in: left.collection)),
                .init("recovered", .list(recovered)),
            ], to: question)
    }

    /// The bytes of Protocol/4-Merge.md, section 13, put together a second time.
    private static func hashed(_ name: RecordName, _ dot: Dot, _ assignment: Assignment) -> [UInt8]
    {
        var writer = CanonicalWriter(name.id.bytes + name.collection.canonicalBytes)
        writer.identifier(dot.replica.value)
        writer.unsigned(dot.counter)
        BodyCodec.write(assignment.field, to: &writer)
        guard case .clock(let clock) = assignment.value else {
            return writer.bytes + assignment.value.canonicalBytes
        }
        writer.array(2 * clock.entries.count)
        for entry in clock.entries {
            writer.identifier(entry.replica.value)
            writer.unsigned(entry.counter)
        }
        return writer.bytes
    }
}
