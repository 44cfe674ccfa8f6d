import Causality
import Runtime
import Sealing
import Security
import Storage
import Transport
import Wire

/// What relays are shown.
extension Membership {
    /// What a relay is shown in a session.
    ///
    /// - Parameter token: what permits to make a new space, on a relay that asks for it.
    package func relayMembership(token: String?) throws -> RelayMembership {
        guard let secret = keyring.secret else { return .plain(token: token) }
        #if Encryption
            return .sealed(by: try sealer(of: secret), token: token)
        #else
            throw SecurityError.notBuiltIn
        #endif
    }

    /// Whether a relay may be several generations behind: it takes one at a time.
    package var mayHaveToClimb: Bool { keyring.generation > SpaceSecret.firstGeneration + 1 }

    /// Leads a relay up to the generation before the present one, with the secrets seen here.
    ///
    /// Nothing is uploaded on the way.
    package func climb(_ relay: RelayAddress, security: SyncSecurity) throws {
        #if Encryption
            guard let fingerprint = relay.fingerprint else { return }
            for generation in SpaceSecret.firstGeneration..<max(keyring.generation, 1) {
                guard let secret = keyring.secrets.last(where: { $0.generation == generation })
                else { continue }
                let sealer = try sealer(of: secret)
                _ = try Introduction.perform(
                    at: relay.place, fingerprint, security: security
                ) { binding in
                    guard let access = try? sealer.access(on: binding) else { return nil }
                    return Approach(
                        space: self.store.space, replica: self.store.replica, features: [],
                        generation: generation, access: access)
                }
            }
        #endif
    }

    #if Encryption
        private func sealer(of secret: SpaceSecret) throws -> SpaceSealer {
            let before = keyring.secrets.last { $0.generation + 1 == secret.generation }
            let succession = try before.map {
                try SpaceSealer.succession(from: $0, to: secret, of: store.space)
            }
            return try SpaceSealer(secret, of: store.space, succession: succession)
        }
    #endif
}
