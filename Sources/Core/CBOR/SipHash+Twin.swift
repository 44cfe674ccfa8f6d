extension SipHash {
    /// The id of the twin under which a value is kept that cannot keep its dot.
    ///
    /// Hashed are the 16 bytes of the record's id, the dot's replica and counter, and the field and
    /// the value, in CBOR. Source: Protocol/4-Merge.md, section 13.
    package func twin(of id: RecordID, _ dot: Dot, _ assignment: Assignment) -> ReplicaID {
        var writer = CanonicalWriter()
        writer.raw(id.value)
        writer.identifier(dot.replica.value)
        writer.unsigned(dot.counter)
        BodyCodec.write(assignment.field, to: &writer)
        if case .clock(let clock) = assignment.value {
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
        } else {
            assignment.value.write(to: &writer)
        }
        return .twin(hash128(writer.bytes))
    }
}
