/// Records in which the next secret waits for devices with an older one; left at a relay, sealed.
///
/// Source: Protocol/10-Relay.md, rules 22 to 25.
package struct RekeyMessage: Hashable, Sendable {
    /// The generation of the secret under which it is sealed.
    package var generation: UInt32
    /// The public key of that secret, by which a relay knows the devices that may have the rekey message; 32 bytes.
    package var verifier: [UInt8]
    /// The sealed contents.
    package var bytes: [UInt8]

    /// A rekey message.
    package init(generation: UInt32, verifier: [UInt8], bytes: [UInt8]) {
        self.generation = generation
        self.verifier = verifier
        self.bytes = bytes
    }

    /// The mark that tells it from others for the same devices.
    package var mark: Mark { Mark(verifier: verifier, hash: SipHash().hash128(bytes)) }

    /// The readers of a rekey message, and a hash that tells it from an earlier one.
    package struct Mark: Hashable, Sendable {
        /// The public key of the secret under which it is sealed; 32 bytes.
        package var verifier: [UInt8]
        /// SipHash-2-4-128 of its bytes, with the keys 0 and 0.
        package var hash: UInt128

        /// A mark.
        package init(verifier: [UInt8], hash: UInt128) {
            self.verifier = verifier
            self.hash = hash
        }
    }
}

extension RekeyMessage: WireMessage {
    enum Key: UInt64 {
        case generation = 1
        case verifier, bytes
    }

    /// The number of this kind of message.
    package static let kind: UInt64 = 129
    static let name = "rekey-message"
    var asMessage: Message { .rekeyMessage(self) }
    var byteCountEstimate: Int { 64 + bytes.count }

    func encode(into writer: inout MessageWriter) {
        writer.key(Key.generation)
        writer.item.unsigned(UInt64(generation))
        writer.key(Key.verifier)
        writer.item.byteString(verifier)
        writer.key(Key.bytes)
        writer.item.byteString(bytes)
    }

    init(from reader: inout MessageReader) throws(WireFault) {
        var generation: UInt32?
        var verifier: [UInt8]?
        var bytes: [UInt8]?
        while let key = try reader.key(of: Key.self) {
            switch key {
            case .generation: generation = try reader.item.generation()
            case .verifier: verifier = try reader.item.proof()
            case .bytes:
                bytes = try reader.item.byteString(
                    max: WireLimits.rekeyMessageByteCountMax, .rekeyMessage)
            }
        }
        self.init(
            generation: try reader.required(generation, Key.generation),
            verifier: try reader.required(verifier, Key.verifier),
            bytes: try reader.required(bytes, Key.bytes))
    }

    var fields: [MessageField] {
        [
            .init("generation", .number(UInt64(generation))),
            .init("verifier", .bytes(verifier)), .init("sealed", .bytes(bytes)),
        ]
    }
}
