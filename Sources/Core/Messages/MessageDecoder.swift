/// Deterministic CBOR → messages.
///
/// Unknown keys are passed over, everything else is checked.
package enum MessageDecoder {
    /// The most pairs in a message.
    private static let pairCountMax = 64

    /// Reads one message, whole.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(WireFault) -> Message {
        var reader = CanonicalReader(bytes)
        let pairs = try reader.map(max: pairCountMax, "the keys of a message")
        guard pairs > 0, try reader.unsigned() == 0 else { throw .missingKey(0) }
        var fields = MessageFields(kind: try reader.unsigned())
        var last: UInt64 = 0
        for _ in 1..<pairs {
            let key = try reader.unsigned()
            guard key > last else { throw .notSorted }
            last = key
            if try !fields.read(key, &reader) { _ = try reader.skip() }
        }
        try reader.finish()
        return try fields.message()
    }

    /// Reads one message, whole.
    package static func decode(_ bytes: [UInt8]) throws(WireFault) -> Message {
        var result: Result<Message, WireFault> = .failure(.truncated)
        bytes.withUnsafeBytes { buffer in
            do throws(WireFault) {
                result = .success(try decode(buffer))
            } catch {
                result = .failure(error)
            }
        }
        return try result.get()
    }
}
