import Core

/// Made inputs with one fault in the tables or the clocks of a batch of changes, whose tables are all there.
enum BatchSeeds {
    private static let one = ReplicaID(value: 1)
    private static let two = ReplicaID(value: 2)

    static let all: [FuzzSeed] = [
        ("batch-replicas-not-sorted", batch([two, one], 0) { $0.array(0) }),
        ("batch-three-of-four-parts", batch([one], 0) { $0.array(3) }),
        ("batch-empty-clock", batch([one], 0) { change(&$0, clock: []) }),
        ("batch-odd-clock", batch([one], 0) { change(&$0, clock: [0]) }),
        ("batch-clock-not-sorted", batch([one, two], 0) { change(&$0, clock: [1, 1, 0, 1]) }),
        (
            "batch-openings-not-sorted",
            batch([one], 1) { writer in
                writer.array(0)
                writer.unsigned(5)
                writer.array(6)
                for replica in [two, one] {
                    writer.identifier(replica.value)
                    writer.unsigned(5)
                    writer.unsigned(0)
                }
            }
        ),
        (
            "batch-none-deferred",
            batch([one], 1) { writer in
                change(&writer, clock: [0, 1])
                writer.unsigned(6)
                writer.array(0)
            }
        ),
    ].map { FuzzSeed("messages", $0.0, $0.1) }

    /// A batch with its table of replicas and one collection, the list of changes, and more keys behind it.
    private static func batch(
        _ replicas: [ReplicaID], _ moreKeys: Int, _ write: (inout CanonicalWriter) -> Void
    ) -> [UInt8] {
        var writer = CanonicalWriter()
        writer.map(4 + moreKeys)
        writer.unsigned(0)
        writer.unsigned(ChangeBatch.kind)
        writer.unsigned(1)
        writer.byteString(replicas.flatMap(\.bytes))
        writer.unsigned(2)
        writer.array(1)
        writer.unsigned(1)
        writer.unsigned(3)
        write(&writer)
        return writer.bytes
    }

    /// A list of one change with an empty body.
    private static func change(_ writer: inout CanonicalWriter, clock: [UInt64]) {
        writer.array(4)
        writer.unsigned(0)
        writer.identifier(7)
        writer.array(clock.count)
        for number in clock { writer.unsigned(number) }
        writer.byteString([])
    }
}
