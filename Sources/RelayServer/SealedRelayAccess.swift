import Core
import Crypto
import Relay

/// Checks what devices show a relay: signatures by OpenSSL; without encryption nothing can be proved.
struct SealedRelayAccess: RelayAccess {
    func verify(
        verifier: [UInt8], space: SpaceID, generation: UInt32, proof: [UInt8],
        channelBinding: [UInt8]?
    ) -> Bool {
        #if Encryption
            // In plain there is no channel that a proof could be bound to: it could be anybody's.
            guard let channelBinding else { return false }
            return AccessKey.isValid(
                proof: proof, verifier: verifier, space: space, generation: generation,
                channel: channelBinding)
        #else
            return false
        #endif
    }

    func verifySuccession(
        verifier: [UInt8], space: SpaceID, generation: UInt32, successor: [UInt8],
        succession: [UInt8]
    ) -> Bool {
        #if Encryption
            return AccessKey.isValid(
                succession: succession, verifier: verifier, space: space, generation: generation,
                next: successor)
        #else
            return false
        #endif
    }
}
