/// What a device leaves at a relay for devices that still have an older secret of the space, and nobody else can
/// read: the records in which the next secret waits for them.
///
/// Source: Protocol/10-Relay.md, rules 22 to 25.
package struct Letter: Hashable, Sendable {
    /// The generation of the secret under which it is sealed.
    package var generation: UInt32
    /// The public key of that secret, by which a relay knows who may have the letter; 32 bytes.
    package var verifier: [UInt8]
    /// What it says, sealed.
    package var bytes: [UInt8]

    /// A letter.
    package init(generation: UInt32, verifier: [UInt8], bytes: [UInt8]) {
        self.generation = generation
        self.verifier = verifier
        self.bytes = bytes
    }

    /// What tells it from others for the same devices.
    package var mark: Mark { Mark(verifier: verifier, hash: SipHash().hash128(bytes)) }

    /// For whom a letter is, and what tells it from an earlier one.
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
