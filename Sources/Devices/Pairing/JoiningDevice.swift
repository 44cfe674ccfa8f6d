import Core
import Crypto
import Session
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
                    at: address.hostAndPort, address.fingerprint, security: security
                ) { binding in relayHello(on: binding) }.refusal
            } catch {
                failure = error
                continue
            }
            guard let refusal else { return address }
            throw JoiningFault.refused(by: "\(address.hostAndPort)", refusal)
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
                    let relay = RelayAddress(address.hostAndPort, fingerprint: address.fingerprint)
                    if keyring.relays[relay.description] == nil {
                        keyring.relays[relay.description] = ""
                    }
                case .device:
                    keyring.peers.insert(
                        "\(Endpoint.tls(address.hostAndPort, address.fingerprint))")
                }
            }
        }
        if isMoved { try member.distrustOthers() }
        try member.refresh(invite: code.invite)
        return member
    }
}

/// Through a relay nobody is there to ask who has used a code; what the devices have written tells it.
extension JoiningDevice {
    /// Reads what the relays of the code have, into a folder for scratch, and leaves nothing anywhere.
    ///
    /// - Throws: as `look(_:into:)`.
    func look(_ security: SyncSecurity, in folder: String) throws {
        let scratch = StoreScratch.path(in: folder)
        StoreScratch.remove(scratch)
        defer { StoreScratch.remove(scratch) }
        let store = try Store.create(
            folder: scratch, schema: [], space: code.space, policy: code.policy,
            deviceName: "scratch", environment: SystemEnvironment.environment())
        defer { store.close() }
        try look(security, into: store)
    }

    /// Reads what the relays of the code have, and leaves nothing there.
    ///
    /// Whoever used the code a moment ago and has not uploaded that yet is not seen.
    ///
    /// - Throws: `JoiningFault.refused` if the relays let nobody in with this code, another device came with it,
    ///   or this device was revoked.
    func look(_ security: SyncSecurity, into store: Store) throws {
        var refusal: JoiningFault?
        var answering: String?
        for address in code.addresses where address.kind == .relay {
            let relay = RelayAddress(address.hostAndPort, fingerprint: address.fingerprint)
            // A relay that cannot be reached now is skipped; the first sync reports it if it was
            // the only one.
            guard let end = try? read(relay, into: store, security) else { continue }
            switch end {
            case .finished: answering = answering ?? "\(address.hostAndPort)"
            case .failed(let error, .ours) where error.known == .refused:
                refusal = refusal ?? .refused(by: "\(address.hostAndPort)", error)
            case .failed, .lost: continue
            }
        }
        if let answering {
            try check(store, security.certificate.fingerprint, at: answering)
        } else if let refusal {
            throw refusal
        }
    }

    private func read(
        _ relay: RelayAddress, into store: Store, _ security: SyncSecurity
    ) throws -> SessionEnd {
        var membership = RelaySpaceMember.plain()
        #if Encryption
            if let secret = code.secret {
                membership = .sealed(by: try SpaceSealer(secret, of: code.space))
            }
        #endif
        let client = try SyncClient(
            store: store, contact: .relay(relay, membership.reading), security: security)
        let end = try client.run(handlesSignals: false)
        if let fault = client.fault { throw fault }
        return end
    }

    /// Sees to it that no other device came with the code before, as far as a store knows.
    ///
    /// - Parameters:
    ///   - own: this device's fingerprint.
    ///   - place: who says so.
    /// - Throws: `JoiningFault.refused`.
    package func check(_ store: Store, _ own: Fingerprint, at peer: String) throws {
        let book = try DeviceDirectory(store)
        if book.isRevoked(own) { throw JoiningFault.refused(by: peer, .revoked) }
        guard let user = book.user(of: code.invite), user.fingerprint != own else { return }
        throw JoiningFault.refused(by: peer, .invitationUsed(by: user.name))
    }
}

/// Why a device was not let in.
package enum JoiningFault: Error, Hashable, Sendable {
    /// The device that made the code says why.
    case refused(by: String, PeerError)
    /// The code names nobody to go to.
    case noAddress
}

extension JoiningFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .refused(let peer, let error):
            "\(peer): \(error.message). Next: \(error.advice)"
        case .noAddress: "the code has no address in it; have a new one made"
        }
    }
}
