import Core
import Crypto
import Storage
import Transport

/// A device that comes into a space, with a code that another device made.
package struct JoiningDevice: Sendable {
    let code: PairingCode

    /// One that has a code, which has not expired.
    package init(_ code: PairingCode) {
        self.code = code
    }

    /// Shows the code to the device that made it; where there are only relays, looks there who has used it.
    ///
    /// - Parameters:
    ///   - folder: where the store is or is to be made; something is put there for a while.
    ///   - made: makes the store, where there is none yet: what a relay has goes into it at once, and is fetched but
    ///     once. Whoever is refused has to take it away again.
    /// - Returns: the address at which it let this one in; nil if only a relay is left to go to.
    /// - Throws: a `JoiningFault`; or why the last device could not be reached, if there is no relay.
    package func introduce(
        _ security: SyncSecurity, in folder: String, making made: (() throws -> Store)? = nil
    ) throws -> PairingCode.Address? {
        var failure: TransportError?
        for address in code.addresses where address.kind == .device {
            let refusal: PeerError?
            do throws(TransportError) {
                refusal = try PairingRequest.perform(
                    at: address.place, address.fingerprint, security: security
                ) { binding in relayHello(on: binding) }.refusal
            } catch {
                failure = error
                continue
            }
            guard let refusal else { return address }
            throw JoiningFault.refused(by: "\(address.place)", refusal)
        }
        if code.addresses.contains(where: { $0.kind == .relay }) {
            if let made {
                try look(security, into: try made())
            } else {
                try look(security, in: folder)
            }
            return nil
        }
        throw failure ?? JoiningFault.noAddress
    }

    private func relayHello(on binding: [UInt8]) -> RelayHello? {
        var relayHello = RelayHello(
            space: code.space, replica: ReplicaID(value: UInt128(SystemEnvironment.random() | 1)),
            features: [], generation: code.secret?.generation ?? 0,
            token: Hexadecimal.text(code.invite))
        #if Encryption
            if let secret = code.secret {
                guard let sealer = try? SpaceSealer(secret, of: code.space),
                    let access = try? sealer.access(on: binding)
                else { return nil }
                relayHello.access = access
            }
        #endif
        return relayHello
    }

    /// Takes a store into the space, with the keys from the code.
    ///
    /// - Parameter own: this device's fingerprint.
    @discardableResult
    package func enter(_ store: Store, _ own: Fingerprint) throws -> SpaceMember {
        let isMoved = store.space != code.space
        if isMoved { try store.enter(space: code.space, policy: code.policy) }
        let member = try SpaceMember(store, own) { keyring in
            if let secret = code.secret { keyring.add(secret) } else { keyring.isPlain = true }
            for address in code.addresses {
                switch address.kind {
                case .relay:
                    let relay = RelayAddress(address.place, fingerprint: address.fingerprint)
                    if keyring.relays[relay.description] == nil {
                        keyring.relays[relay.description] = ""
                    }
                case .device:
                    keyring.peers.insert("\(Endpoint.tls(address.place, address.fingerprint))")
                }
            }
        }
        if isMoved { try member.distrustOthers() }
        try member.refresh(invite: code.invite)
        return member
    }
}
