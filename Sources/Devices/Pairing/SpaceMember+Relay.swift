import Core
import Crypto
import Glibc
import Session
import Storage
import Transport

/// How a device is let in at relays, whatever became of the space's secret while it was away.
extension SpaceMember {
    /// Returns the credentials that a relay is shown in a session.
    ///
    /// - Parameter token: what permits to make a new space, on a relay that asks for it.
    package func relayMembership(
        at relay: RelayAddress, token: String?
    ) throws -> RelaySpaceMember {
        guard let secret = keyring.secret else { return .plain(token: token) }
        #if Encryption
            let kept = try GenerationNote.generation(at: relay.description, in: store)
            let older = keyring.secrets.filter { $0.generation < secret.generation }
            // Without a note of this relay the latest older one is the likeliest.
            let former =
                kept == nil ? older.last : older.last { $0.generation == kept }
            let sealer = try sealer(of: secret, after: former ?? older.last)
            // Distrusted secrets have their own share of the limit: many of them leave room for the
            // others.
            let waysOn = keyring.distrusted.filter { $0 != secret }
                .suffix(WireLimits.rekeyMessageCountMax / 2)
            let others = keyring.secrets.filter {
                $0 != secret && !keyring.distrusted.contains($0)
            }.suffix(WireLimits.rekeyMessageCountMax - waysOn.count)
            func sealed(_ secret: SpaceSecret) throws(SealFault) -> SpaceSealer {
                try SpaceSealer(secret, of: store.space)
            }
            let rekeyMailbox = SpaceRekeyMailbox(
                sealer, older: try others.map(sealed), waysOn: try waysOn.map(sealed))
            return .sealed(
                by: sealer, rekeyMailbox: rekeyMailbox,
                former: try former.map(sealed), token: token)
        #else
            throw SecurityError.notBuiltIn
        #endif
    }

    /// The waits for the rekey message of a generation that another device has begun a moment before, as it leaves that
    /// message only once the relay has let it in; milliseconds.
    package static let rekeyWaits = [100, 400, 1_000]

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
            try meet(.relay(relay, try relayMembership(at: relay, token: token)))
        }
        var end = try again()
        var waits = awaitedRelays.contains(relay.description) ? [] : Self.rekeyWaits[...]
        while Self.isRefused(end) {
            // There may have been a rekey message with the next secret.
            if try hasNews() {
                // It has this one or a later one: nothing is there any more under the one before.
                try GenerationNote.keep(keyring.generation, at: relay.description, in: store)
                end = try again()
                break
            }
            guard case .failed(let error, _) = end, error.reason == .oldGeneration,
                try !DeviceDirectory(store).isRevoked(fingerprint), let wait = waits.popFirst()
            else { break }
            awaitedRelays.insert(relay.description)
            usleep(UInt32(wait) * 1_000)
            end = try again()
        }
        if Self.isRefusedForSecret(end), let security, try repairAccess(relay, security: security) {
            end = try again()
        }
        guard Self.isRefused(end), try DeviceDirectory(store).isRevoked(fingerprint) else {
            return end
        }
        // The relay cannot know why there is no way to the next secret: this device was revoked.
        let told = SessionEnd.failed(.revoked, .ours)
        try RefusalNote.keep(told, at: relay.description, in: store)
        return told
    }

    private static func isRefused(_ end: SessionEnd) -> Bool {
        if case .failed(let error, _) = end { error.known == .refused } else { false }
    }

    /// Whether a relay that has the space refused a session for the secret that this device shows.
    ///
    /// A relay that does not have the space may make it for whoever asks: with an older secret nobody asks that one.
    package static func isRefusedForSecret(_ end: SessionEnd) -> Bool {
        guard case .failed(let error, _) = end, error.known == .refused else { return false }
        return switch error.reason {
        case .wrongProof, .oldGeneration, .unsignedGeneration: true
        default: false
        }
    }

    /// Takes in what came; whether that is another secret of the space.
    private func hasNews() throws -> Bool {
        let before = keyring.secret
        try refresh()
        return keyring.secret != before
    }

    /// Finds a way to be let in by a relay that does not take the present secret: it may have missed some, or have taken
    /// another one of the same generation, or one by a device that is out.
    ///
    /// Of two that were made at the same time by devices that had not heard of each other a relay has one, and the
    /// devices take the greater: if these differ, the secret is changed once more. So it is if the relay has one that
    /// this device knows by a rekey message under an older secret only: who is out may have written it, and so it is the way
    /// on and nothing else. A relay that was led on in steps, and not to the end, has a secret that nobody keeps: it is found
    /// among those in between.
    ///
    /// - Returns: whether it is worth to come again.
    package func repairAccess(_ relay: RelayAddress, security: SyncSecurity) throws -> Bool {
        #if Encryption
            guard let present = keyring.secret else { return false }
            let asking = RelayAsking(relay, of: store, security)
            // The oldest first: of a relay with a later one no such proof counts as failed.
            let older = keyring.secrets.filter { $0.generation < present.generation }
            let kept = try GenerationNote.generation(at: relay.description, in: store)
            let latest = older.suffix(RelayAsking.askCountMax / 2)
            var earlier: UInt32 = 0
            for secret in older where secret.generation == kept || latest.contains(secret) {
                switch try asking.ask(as: SpaceSealer(secret, of: store.space)) {
                case .relayHelloReply:
                    return try lead(asking, at: relay, from: secret, to: present)
                case .later: earlier = max(earlier, secret.generation)
                case .refused: continue
                case .over: return false
                }
            }
            let found = try receiveDistrustedSecrets(asking.rekeyMessages)
            let others = keyring.secrets.filter {
                $0.generation >= present.generation && $0 != present && !found.contains($0)
            }
            for other in found + others {
                switch try asking.ask(as: SpaceSealer(other, of: store.space)) {
                case .relayHelloReply:
                    guard try !DeviceDirectory(store).isRevoked(fingerprint) else { return false }
                    try revoke(nil, after: other.generation)
                    guard let next = keyring.secret else { return false }
                    return try lead(asking, at: relay, from: other, to: next)
                case .later, .refused: continue
                case .over: return false
                }
            }
            guard
                let between = try secretBetween(
                    asking, from: earlier, to: present, beginning: kept)
            else { return false }
            return try lead(asking, at: relay, from: between, to: present)
        #else
            return false
        #endif
    }

    #if Encryption
        /// Leads a relay from the secret that it has to a later one: at once, or in the steps that it takes.
        ///
        /// - Returns: whether it has that now; never if that takes more steps than a device takes at once: who made up such a
        ///   secret is to shut nobody out.
        private func lead(
            _ asking: RelayAsking, at relay: RelayAddress, from first: SpaceSecret,
            to last: SpaceSecret
        ) throws -> Bool {
            var secret = first
            let path = try SecretSteps.path(to: last, from: first.generation, in: store.space)
            guard let path else { return false }
            for next in path {
                let sealer = try sealer(of: next, after: secret)
                guard case .relayHelloReply = try asking.ask(as: sealer, isStep: true) else {
                    break
                }
                secret = next
            }
            if secret == last { return true }
            try GenerationNote.keep(secret.generation, at: relay.description, in: store)
            return false
        }

        /// Finds the one of the secrets between two generations that a relay has: it tells of each whether its own is later.
        ///
        /// - Parameter note: the generation that the relay had last; the first one to be shown if it is among them, else that
        ///   of the first step, as most are cut off there.
        private func secretBetween(
            _ asking: RelayAsking, from earlier: UInt32, to last: SpaceSecret,
            beginning note: UInt32?
        ) throws -> SpaceSecret? {
            let count = SecretSteps.count(from: earlier, to: last.generation)
            if count > SecretSteps.countMax { return nil }
            var (low, high) = (0, count - 1)
            var next = note.map { SecretSteps.count(from: earlier, to: $0) - 1 } ?? 0
            // From the lowest on in growing strides: one that is too high counts as a failed proof there.
            var stride = 1
            while low < high {
                next = min(max(next, low), high - 1)
                let secret = try SecretSteps.step(
                    next, of: count, towards: last, in: store.space)
                switch try asking.ask(as: SpaceSealer(secret, of: store.space)) {
                case .relayHelloReply: return secret
                case .later:
                    low = next + 1
                    next = high < count - 1 ? (low + high) / 2 : low + stride - 1
                    stride *= 2
                case .refused:
                    high = next
                    next = (low + high) / 2
                case .over: return nil
                }
            }
            return nil
        }

        /// Keeps the secrets that rekey messages under older ones have for this device, as ways on.
        ///
        /// - Returns: those that were not known.
        private func receiveDistrustedSecrets(_ rekeyMessages: [Change]) throws -> [SpaceSecret] {
            var found: [SpaceSecret] = []
            for change in rekeyMessages {
                guard let record = try? change.record() else { continue }
                for case .bytes(let bytes)
                    in record.elements(of: .number(DeviceField.envelopes))
                {
                    guard
                        let secret = try? SecretEnvelope.open(
                            bytes, of: store.space, with: keyring.exchangeKey),
                        !keyring.secrets.contains(secret), !found.contains(secret)
                    else { continue }
                    found.append(secret)
                }
            }
            let end = SecretSteps.end(
                from: keyring.latestGeneration, over: found.map(\.generation),
                countMax: SecretSteps.countMax)
            found = found.filter { $0.generation <= end }.suffix(Keyring.distrustedCountMax)
            if found.isEmpty { return [] }
            let noted = try GenerationNote.generations(in: store)
            try update { keyring in
                for secret in found { keyring.add(secret) }
                keyring.distrusted = (keyring.distrusted + found).suffix(Keyring.distrustedCountMax)
                let kept = keyring.distrusted
                keyring.removeSecrets { found.contains($0) && !kept.contains($0) }
                keyring.dropSurplus(keeping: noted)
            }
            return found.filter { keyring.secrets.contains($0) }
        }

        /// Makes the sealer that proves a secret, with the signature of an older one that it follows.
        private func sealer(
            of secret: SpaceSecret, after older: SpaceSecret?
        ) throws(SealFault) -> SpaceSealer {
            let word = try older.map { older throws(SealFault) in
                try SpaceSealer.succession(from: older, to: secret, of: store.space)
            }
            return try SpaceSealer(secret, of: store.space, succession: word)
        }
    #endif
}
