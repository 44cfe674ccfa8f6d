import Causality
import Runtime
import Sealing
import Security
import Session
import Storage
import Transport
import Wire

/// How a device is let in at relays, whatever became of the space's secret while it was away.
extension Membership {
    /// What a relay is shown in a session.
    ///
    /// - Parameter token: what permits to make a new space, on a relay that asks for it.
    package func relayMembership(token: String?) throws -> RelayMembership {
        guard let secret = keyring.secret else { return .plain(token: token) }
        #if Encryption
            let sealer = try sealers(of: secret)[0]
            // Those by devices that are out are kept apart: many of them leave room for the others.
            let trusted = keyring.secrets.filter { !keyring.distrusted.contains($0) }
            let halves = [keyring.distrusted, trusted].map { secrets in
                secrets.filter { $0 != secret }.suffix(WireLimits.letterCountMax / 2)
            }
            let older = try halves.joined()
                .map { other throws(SealFault) in try SpaceSealer(other, of: store.space) }
            return .sealed(
                by: sealer, letterbox: SpaceLetterbox(sealer, older: older), token: token)
        #else
            throw SecurityError.notBuiltIn
        #endif
    }

    /// Syncs through a relay; refused for its secret, this device does what it can to be let in.
    ///
    /// - Parameters:
    ///   - token: what permits to make a new space, on a relay that asks for it.
    ///   - meet: has one session.
    /// - Returns: how the last session ended.
    package func visit(
        _ relay: RelayAddress, token: String?, security: SyncSecurity?,
        _ meet: (Contact) throws -> SessionEnd
    ) throws -> SessionEnd {
        func again() throws -> SessionEnd {
            try meet(.relay(relay, try relayMembership(token: token)))
        }
        var end = try again()
        guard Self.isRefused(end) else { return end }
        // There may have been a letter with the next secret.
        if try hasNews() { end = try again() }
        if Self.isRefused(end), let security, try mend(relay, security: security) {
            end = try again()
        }
        guard Self.isRefused(end), try DeviceBook(store).isRevoked(fingerprint) else { return end }
        // What the relay cannot know: why there is no way to the next secret.
        let told = SessionEnd.failed(.revoked, .ours)
        try RefusalNote.keep(told, at: relay.description, in: store)
        return told
    }

    private static func isRefused(_ end: SessionEnd) -> Bool {
        if case .failed(let error, _) = end { error.known == .refused } else { false }
    }

    /// Takes in what came; whether that is another secret of the space.
    private func hasNews() throws -> Bool {
        let before = keyring.secret
        try refresh()
        return keyring.secret != before
    }

    /// Finds a way to be let in by a relay that does not take the present secret: it may have missed some, have a later
    /// one with a letter for who has an older one, or have taken another one of the same generation.
    ///
    /// Of two that were made at the same time by devices that had not heard of each other a relay has one, and the
    /// devices take the greater: if these differ, the secret is changed once more. So it is if the relay has one by a
    /// device that is out.
    ///
    /// - Returns: whether it is worth to come again.
    package func mend(_ relay: RelayAddress, security: SyncSecurity) throws -> Bool {
        #if Encryption
            guard let present = keyring.secret, present.generation > SpaceSecret.firstGeneration
            else { return false }
            // One generation after the other; nothing is uploaded on the way.
            var isLed = false
            for secret in keyring.secrets where secret.generation < present.generation {
                for sealer in try sealers(of: secret) {
                    if try ask(relay, as: sealer, security: security) {
                        isLed = true
                        break
                    }
                    if try hasNews() { return true }
                }
            }
            // Relays count proofs that fail: what was refused already is not tried again for nothing.
            for sealer in try isLed ? sealers(of: present) : [] {
                if try ask(relay, as: sealer, security: security) { return true }
            }
            for other in keyring.secrets
            where other.generation >= present.generation && other != present {
                let sealer = try SpaceSealer(other, of: store.space)
                let isTaken = try ask(relay, as: sealer, security: security)
                if try hasNews() { return true }
                guard isTaken, try !DeviceBook(store).isRevoked(fingerprint) else { continue }
                try revoke(nil, after: other.generation)
                guard let next = keyring.secret else { return false }
                let word = try SpaceSealer.succession(from: other, to: next, of: store.space)
                let successor = try SpaceSealer(next, of: store.space, succession: word)
                return try ask(relay, as: successor, security: security)
            }
            return false
        #else
            return false
        #endif
    }

    #if Encryption
        /// Shows a relay a secret, and takes in the letter that it may give.
        ///
        /// - Returns: whether the relay has that one now.
        private func ask(
            _ relay: RelayAddress, as sealer: SpaceSealer, security: SyncSecurity
        ) throws -> Bool {
            guard let fingerprint = relay.fingerprint else { return false }
            let answer = try Introduction.perform(
                at: relay.place, fingerprint, security: security
            ) { binding in
                guard let access = try? sealer.access(on: binding) else { return nil }
                return Approach(
                    space: self.store.space, replica: self.store.replica, features: [],
                    generation: sealer.generation, access: access)
            }
            if let changes = answer.letter.flatMap(sealer.open) { try store.takeLetter(changes) }
            return answer.refusal == nil
        }

        /// What proves a secret: one for each secret before it, the likeliest first; never none.
        private func sealers(of secret: SpaceSecret) throws -> [SpaceSealer] {
            let before = keyring.secrets.filter { $0.generation == secret.generation - 1 }
            if before.isEmpty { return [try SpaceSealer(secret, of: store.space)] }
            return try before.reversed().map {
                let word = try SpaceSealer.succession(from: $0, to: secret, of: store.space)
                return try SpaceSealer(secret, of: store.space, succession: word)
            }
        }
    #endif
}
