import Core

/// The clock of a version as the stores of relays keep it: each entry a replica and a counter, big-endian, 24 bytes.
package enum RelayClock {
    /// The size of one entry: a replica and a counter.
    static let entryByteCount = 24

    /// The bytes of a clock.
    package static func bytes(of clock: VersionVector) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(clock.entries.count * entryByteCount)
        for entry in clock.entries {
            withUnsafeBytes(of: entry.replica.value.bigEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: entry.counter.bigEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Reads a clock; nil for bytes that were not written by `bytes(of:)`.
    package static func clock(_ bytes: UnsafeRawBufferPointer) -> VersionVector? {
        var entries: [VersionVector.Entry] = []
        let size = entryByteCount
        for start in stride(from: 0, to: bytes.count - size + 1, by: size) {
            let replica = bytes.loadUnaligned(fromByteOffset: start, as: UInt128.self)
            let counter = bytes.loadUnaligned(fromByteOffset: start + 16, as: UInt64.self)
            entries.append(
                VersionVector.Entry(
                    replica: ReplicaID(value: UInt128(bigEndian: replica)),
                    counter: UInt64(bigEndian: counter)))
        }
        guard bytes.count % size == 0, let clock = VersionVector(sorted: entries), !clock.isEmpty
        else { return nil }
        return clock
    }
}
