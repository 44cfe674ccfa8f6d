import Core
import Crypto
import Session
import Storage
import Transport

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
        var place: String?
        for address in code.addresses where address.kind == .relay {
            let relay = RelayAddress(address.place, fingerprint: address.fingerprint)
            // A relay that cannot be reached now is skipped; the first sync reports it if it was
            // the only one.
            guard let end = try? read(relay, into: store, security) else { continue }
            switch end {
            case .finished: place = place ?? "\(address.place)"
            case .failed(let error, .ours) where error.known == .refused:
                refusal = refusal ?? .refused(by: "\(address.place)", error)
            case .failed, .lost: continue
            }
        }
        if let place {
            try check(store, security.certificate.fingerprint, at: place)
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
    package func check(_ store: Store, _ own: Fingerprint, at place: String) throws {
        let book = try DeviceDirectory(store)
        if book.isRevoked(own) { throw JoiningFault.refused(by: place, .revoked) }
        guard let user = book.user(of: code.invite), user.fingerprint != own else { return }
        throw JoiningFault.refused(by: place, .invitationUsed(by: user.name))
    }
}
