import Core
import JSON

/// The vectors of fork rewrites: an old id, a fork point, a new id and records.
enum ForkVectors {
    private static let title = Field.number(2)
    private static let (alice, bob) = (MessageSamples.alice, MessageSamples.bob)
    private static let new = ReplicaID(value: 0xd4 << 120 | 4)

    private static func write(
        _ replica: ReplicaID, _ counter: UInt64, _ assignments: Assignment...
    ) -> Write {
        Write(
            dot: Dot(replica: replica, counter: counter),
            timestamp: HybridTimestamp(rawValue: (1_790_000_000_000 + counter) << 16),
            assignments: assignments)
    }

    private static func titled(_ text: String) -> Assignment { Assignment(title, .text(text)) }

    private static func deleted(_ clock: VersionVector) -> Assignment {
        Assignment(.deleted, .clock(clock))
    }

    private static func record(_ clock: VersionVector, _ writes: Write...) -> RecordState {
        RecordState(clock: clock, writes: writes)
    }

    private static let cases: [(name: String, fork: UInt64, records: [RecordState])] = [
        (
            "the example of 4-Merge, section 12", 1,
            [
                record(
                    MessageSamples.vector(2, 1), write(alice, 2, titled("Milk")),
                    write(bob, 1, Assignment(.number(3), .day(20_000)))),
                record(MessageSamples.vector(4), write(alice, 4, titled("Bread"))),
                record(MessageSamples.vector(3, 2), write(bob, 2, titled("Soap"))),
            ]
        ),
        (
            "a record below the fork point, and one at it", 3,
            [
                record(MessageSamples.vector(2), write(alice, 2, titled("Milk"))),
                record(
                    MessageSamples.vector(3, 1), write(alice, 3, titled("Bread")),
                    write(bob, 1, Assignment(.number(3), .day(20_000)))),
                record(MessageSamples.vector(5), write(alice, 5, titled("Soap"))),
            ]
        ),
        (
            "no write is shared: the old id goes away", 0,
            [record(MessageSamples.vector(2, 1), write(alice, 2, titled("Milk")))]
        ),
        (
            "none above the fork point survives: the new id has no entry", 1,
            [record(MessageSamples.vector(3, 2), write(bob, 2, titled("Soap")))]
        ),
        (
            "clocks in deletes, of the old id and of another", 1,
            [
                record(
                    MessageSamples.vector(3), write(alice, 2, titled("Milk")),
                    write(alice, 3, deleted(MessageSamples.vector(3)))),
                record(
                    MessageSamples.vector(4, 1), write(alice, 4, titled("Bread")),
                    write(bob, 1, deleted(MessageSamples.vector(4, 1)))),
            ]
        ),
        (
            "two writes of one record, the second of which others had not seen", 1,
            [
                record(
                    MessageSamples.vector(4, 1),
                    write(alice, 2, Assignment(.number(3), .day(20_000))),
                    write(alice, 4, titled("Oat milk")),
                    write(bob, 1, deleted(MessageSamples.vector(3, 1))))
            ]
        ),
    ]

    static let questions: [JSON] = cases.map { name, fork, records in
        VectorQuestions.question(
            name, .init("old", Readable.id(alice)), .init("fork", .number(fork)),
            .init("new", Readable.id(new)),
            .init(
                "records",
                .list(
                    records.map {
                        .object([
                            .init("clock", Readable.vector($0.clock)),
                            VectorQuestions.hex(BodyCodec.encode($0, in: .number(1))),
                        ])
                    })))
    }
}
