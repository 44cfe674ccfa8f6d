import Core

/// Why a relay ends a conversation, and what it tells the device.
package struct RelayRefusal: Error, Hashable, Sendable {
    /// The reasons, each with a count of its own.
    package enum Reason: String, Hashable, Sendable, CaseIterable {
        /// No version of the protocol in common.
        case incompatible
        /// The relay serves as many conversations as it may.
        case sessions
        /// The space has as many conversations as it may.
        case spaceSessions = "space-sessions"
        /// Too many proofs failed from the address.
        case failedProofs = "failed-proofs"
        /// The space has no encryption, and the relay takes none such.
        case plain
        /// The space is kept with encryption, and the device comes without, or the other way round.
        case encryption
        /// No proof.
        case noProof = "no-proof"
        /// A proof that is not right, or by another key.
        case wrongProof = "wrong-proof"
        /// An unknown space, and no token or a wrong one.
        case token
        /// As many spaces as there may be.
        case spaces
        /// The secret was rotated.
        case oldGeneration = "old-generation"
        /// A generation that does not follow from the one that is known.
        case newGeneration = "new-generation"
        /// As many bytes as the space may have.
        case bytes
        /// As many records as the space may have.
        case records
        /// As many concurrent versions as a record may have.
        case versions
        /// More than the window allows, or a statement too long.
        case overLimit = "over-limit"
        /// The relay holds as many half-received bytes as it may, and most of them of this conversation.
        case heldBytes = "held-bytes"
        /// The device takes too slowly what is sent.
        case slow
        /// The device was silent.
        case silent
        /// Bytes that are no message, or a message that is not valid.
        case malformed
        /// A message that does not belong there.
        case outOfOrder = "out-of-order"
        /// The relay's store failed.
        case store
    }

    /// Why.
    package let reason: Reason
    /// What the device is told.
    package let error: PeerError
    /// What the device is given before that, if it has an older secret of the space.
    var letter: Letter?

    /// Ends a conversation with a reason.
    init(_ reason: Reason, _ error: PeerError) {
        self.reason = reason
        self.error = error
    }
}
