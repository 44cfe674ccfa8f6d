import Core

/// Words of made-up devices for the tests of relays and of their stores.
package enum RelaySamples {
    /// A clock of one replica.
    package static func clock(_ replica: UInt128, _ counter: UInt64) -> VersionVector {
        VersionVector(Dot(replica: ReplicaID(value: replica), counter: counter))
    }

    /// A version of a record, whose body tells the counter.
    package static func change(
        _ id: UInt128, _ replica: UInt128, _ counter: UInt64, _ byteCount: Int = 3
    ) -> Change {
        Change(
            RecordName(.relayed, RecordID(value: id)), clock: clock(replica, counter),
            body: [UInt8](repeating: UInt8(truncatingIfNeeded: counter), count: byteCount))
    }

    /// A row of a device.
    package static func row(
        _ replica: UInt128, about: UInt128? = nil, number: UInt64 = 1, _ bytes: [UInt8]
    ) -> SummaryRow {
        SummaryRow(
            SummaryRow.Key(
                ReplicaID(value: replica), about: about.map { ReplicaID(value: $0) }),
            number: number, bytes: bytes)
    }
}
