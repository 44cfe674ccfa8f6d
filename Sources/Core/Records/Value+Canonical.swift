extension Value {
    /// The canonical bytes: deterministic CBOR, equal for equal values alone.
    ///
    /// A clock names its replicas in full here. In a body, where `writeBody` writes it, it names them
    /// by their place in the record's clock.
    package var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Writes the canonical bytes.
    package func write(to writer: inout CanonicalWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .text(let value): writer.text(value)
        case .bytes(let value): writer.byteString(value)
        case .instant(let value):
            writer.array(2)
            writer.unsigned(ValueKind.instant)
            writer.integer(value)
        case .day(let value):
            writer.array(2)
            writer.unsigned(ValueKind.day)
            writer.integer(Int64(value))
        case .reference(let id):
            writer.array(2)
            writer.unsigned(ValueKind.reference)
            writer.identifier(id.value)
        case .clock(let clock):
            writer.array(2)
            writer.unsigned(ValueKind.clock)
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
        case .elided: writer.undefined()
        case .unknown(let bytes): writer.bytes.append(contentsOf: bytes)
        }
    }

    /// How many bytes the canonical form takes at most, near enough for a limit: a head counts nine.
    package var approximateByteCount: Int {
        switch self {
        case .text(let value): value.utf8.count + 9
        case .bytes(let value), .unknown(let value): value.count + 9
        case .clock(let clock): clock.entries.count * 26 + 11
        case .reference: 19
        default: 11
        }
    }
}
