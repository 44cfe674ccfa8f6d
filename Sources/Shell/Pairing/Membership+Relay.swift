import Causality
import Runtime
import Sealing
import Security
import Storage
import Transport
import Wire

/// What relays are shown.
extension Membership {
    /// What a relay is shown in a session: more than one for relays that may have pinned either of two
    /// secrets that had one generation, the likeliest first.
    ///
    /// - Parameter token: what permits to make a new space, on a relay that asks for it.
    package func relayMemberships(token: String?) throws -> [RelayMembership] {
        guard let secret = keyring.secret else { return [.plain(token: token)] }
        #if Encryption
            return try sealers(of: secret).map { .sealed(by: $0, token: token) }
        #else
            throw SecurityError.notBuiltIn
        #endif
    }

    /// Whether a relay may be several generations behind (it takes one at a time), or have another secret
    /// of one of them.
    package var mayHaveToClimb: Bool { keyring.generation > SpaceSecret.firstGeneration }

    /// Leads a relay up to the generation before the present one, with the secrets seen here.
    ///
    /// Nothing is uploaded on the way.
    ///
    /// - Returns: whether the relay took one of them.
    package func climb(_ relay: RelayAddress, security: SyncSecurity) throws -> Bool {
        #if Encryption
            guard let fingerprint = relay.fingerprint else { return false }
            var isTaken = false
            for secret in keyring.secrets where secret.generation < keyring.generation {
                for sealer in try sealers(of: secret) {
                    let refusal = try Introduction.perform(
                        at: relay.place, fingerprint, security: security
                    ) { binding in
                        guard let access = try? sealer.access(on: binding) else { return nil }
                        return Approach(
                            space: self.store.space, replica: self.store.replica, features: [],
                            generation: secret.generation, access: access)
                    }
                    if refusal == nil {
                        isTaken = true
                        break
                    }
                }
            }
            return isTaken
        #else
            return false
        #endif
    }

    #if Encryption
        /// One for each secret before it.
        private func sealers(of secret: SpaceSecret) throws -> [SpaceSealer] {
            let before = keyring.secrets.filter { $0.generation + 1 == secret.generation }
            if before.isEmpty { return [try SpaceSealer(secret, of: store.space)] }
            return try before.reversed().map {
                let word = try SpaceSealer.succession(from: $0, to: secret, of: store.space)
                return try SpaceSealer(secret, of: store.space, succession: word)
            }
        }
    #endif
}
