import Core

/// Records in the states that matter.
package enum RecordSamples {
    private static let title = Field.number(2)
    private static let due = Field.number(3)
    private static let tags = FieldName.number(4)

    private static func write(
        _ replica: ReplicaID, _ counter: UInt64, at time: UInt64, isRecovered: Bool = false,
        _ assignments: [Assignment]
    ) -> Write {
        Write(
            dot: Dot(replica: replica, counter: counter),
            timestamp: HybridTimestamp(rawValue: time << 16), isRecovered: isRecovered,
            assignments: assignments.sorted { $0.field < $1.field })
    }

    private static let (alice, bob, carol) = (
        MessageSamples.alice, MessageSamples.bob, MessageSamples.carol
    )
    private static let now: UInt64 = 1_790_000_000_000

    private static let first = write(
        alice, 1, at: now, [Assignment(title, .text("Milk")), Assignment(due, .day(20_000))])

    /// A to-do as its author made it.
    package static let todo = RecordState(clock: MessageSamples.vector(1), writes: [first])

    /// The same with a tag, a custom field and a title that two changed.
    package static let conflict = RecordState(
        clock: MessageSamples.vector(3, 2),
        writes: [
            write(alice, 1, at: now, [Assignment(due, .day(20_000))]),
            write(
                alice, 3, at: now + 5,
                [
                    Assignment(title, .text("Oat milk")),
                    Assignment(.element(tags, text: "home"), .bool(true)),
                ]),
            write(
                bob, 2, at: now + 4,
                [
                    Assignment(title, .text("Soy milk")),
                    Assignment(.custom("caf\u{e9}"), .double(2.5)),
                ]),
        ])

    /// Deleted, everything still there.
    package static let deleted = RecordState(
        clock: MessageSamples.vector(2),
        writes: [
            first,
            write(alice, 2, at: now + 9, [Assignment(.deleted, .clock(MessageSamples.vector(2)))]),
        ])

    /// Edited by another who had not seen the delete.
    package static let edited = RecordState(
        clock: MessageSamples.vector(1, 1),
        writes: [
            write(alice, 1, at: now, [Assignment(title, .text("Milk"))]),
            write(bob, 1, at: now + 20, [Assignment(due, .day(20_001))]),
        ])

    /// Purged: what stays for ever.
    package static let tombstone = RecordState(
        clock: MessageSamples.vector(3),
        writes: [
            write(
                alice, 3, at: now + 10,
                [
                    Assignment(.deleted, .clock(MessageSamples.vector(3))),
                    Assignment(.purged, .bool(true)),
                ])
        ])

    /// Restored by a third, whole.
    package static let restored = RecordState(
        clock: MessageSamples.vector(2, 0, 1),
        writes: [
            write(
                carol, 1, at: now + 30,
                [
                    Assignment(.deleted, .null), Assignment(title, .text("Milk")),
                    Assignment(due, .day(20_000)),
                ])
        ])

    /// Recovered after a rollback, and with what a newer version wrote.
    package static let foreign = RecordState(
        clock: MessageSamples.vector(0, 0, 300),
        writes: [
            write(
                carol, 4, at: 0, isRecovered: true,
                [
                    Assignment(.number(70), .unknown([0x82, 0x09, 0xa1, 0x01, 0xf5])),
                    Assignment(.text("labels"), .bytes([0, 255])),
                    Assignment(.element(.text("labels"), .int(-7)), .null),
                ])
        ])

    /// All of them, with names.
    package static let all: [(name: String, record: RecordState)] = [
        ("a to-do", todo), ("a conflict of titles, a tag, a custom field", conflict),
        ("deleted", deleted), ("edited elsewhere", edited), ("purged: a tombstone", tombstone),
        ("restored", restored), ("recovered, with unknown fields and kinds", foreign),
    ]
}
