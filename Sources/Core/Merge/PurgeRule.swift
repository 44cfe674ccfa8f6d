/// Values that were written to a record while apart from its purge.
///
/// Source: Protocol/4-Merge.md, rule 7.
extension RecordState {
    /// Whether a field other than the reserved ones has a surviving value that is not null.
    var holdsValue: Bool {
        writes.contains { write in write.assignments.contains(where: \.isValue) }
    }

    /// The surviving values that are not null, under the writes that gave them; no deletes, restores and
    /// purge marks.
    package var heldValues: RecordState {
        var held = self
        for index in held.writes.indices {
            held.writes[index].assignments.removeAll { !$0.isValue }
        }
        held.writes.removeAll(where: \.assignments.isEmpty)
        return held
    }
}

extension Assignment {
    fileprivate var isValue: Bool { field > .purged && !value.isNull }
}

extension LocalEdit {
    /// A record that has the surviving values of a purged one, a field in conflict once per value; nil if none
    /// survives.
    package func copy(of purged: RecordState, dots: inout DotSource) -> RecordState? {
        let layers = purged.heldValues.layers()
        // The values that are shown come last: at equal timestamps the highest counter is shown.
        return layers.isEmpty ? nil : apply(layers.reversed(), to: RecordState(), dots: &dots)
    }
}

extension RecordName {
    /// The name of the copy of a purged record's surviving values: the same on every device that copies the
    /// same writes.
    ///
    /// - Parameter purged: this record, with the writes that are copied.
    package func copy(of purged: RecordState) -> RecordName {
        let dots = purged.heldValues.writes.map(\.dot)
        return derived(key1: 2) { writer in
            writer.array(dots.count)
            for dot in dots {
                writer.array(2)
                writer.identifier(dot.replica.value)
                writer.unsigned(dot.counter)
            }
        }
    }

    /// The record that a unique key names if the first `number` records that it named are purged; this one, which
    /// is named by the id derived from the key, if none is.
    package func successor(_ number: Int) -> RecordName {
        if number == 0 { return self }
        return derived(key1: 3) { $0.unsigned(UInt64(number)) }
    }

    /// The record of the same collection whose id is a hash of canonical bytes, marked as a UUIDv8 (RFC 9562, 5.8).
    ///
    /// - Parameter key1: tells the uses apart; 1 is that of keys.
    private func derived(
        key1: UInt64, _ rest: (inout CanonicalWriter) -> Void
    ) -> RecordName {
        var writer = CanonicalWriter()
        BodyCodec.write(collection, to: &writer)
        writer.identifier(id.value)
        rest(&writer)
        let hash = SipHash(key0: 0x7461_6e64_656d, key1: key1).hash128(writer.bytes)
        let high = UInt64(truncatingIfNeeded: hash >> 64) & ~0xf000 | 0x8000
        let low = UInt64(truncatingIfNeeded: hash) & ~(3 << 62) | 1 << 63
        return RecordName(collection, RecordID(high: high, low: low))
    }
}
