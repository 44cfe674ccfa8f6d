extension SipHash {
    /// The summand of a digest: the hash of a record's id, clock and body.
    ///
    /// Hashed are the 16 bytes of the id, the clock as a CBOR array of full replica ids and counters by
    /// turns, and the body with all its values. Source: Protocol/2-Values.md.
    package func content(_ id: RecordID, _ clock: VersionVector, _ body: [UInt8]) -> UInt128 {
        var writer = CanonicalWriter()
        writer.bytes.reserveCapacity(body.count + 64)
        writer.raw(id.value)
        writer.array(clock.entries.count * 2)
        for entry in clock.entries {
            writer.identifier(entry.replica.value)
            writer.unsigned(entry.counter)
        }
        writer.bytes.append(contentsOf: body)
        return hash128(writer.bytes)
    }
}
