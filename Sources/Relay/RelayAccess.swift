import Core

/// Checks proofs; what it needs of cryptography is the shell's.
package protocol RelayAccess {
    /// Whether `proof` shows that the device at the other end of the channel holds the key of `verifier`.
    ///
    /// - Parameter channelBinding: what names the channel; nil without TLS.
    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool

    /// Whether the key of `verifier`, that of the generation before, has signed `successor` as the key of
    /// `generation`.
    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool
}
