import Core
import Crypto

/// A device's certificate, and its decisions about peers.
package struct SyncSecurity {
    /// This device.
    package var certificate: DeviceCertificate
    /// Decides about a peer; called during each handshake, and again after it.
    package var judge: (Fingerprint) -> Admission

    /// A device that trusts whom `allows` says.
    package init(certificate: DeviceCertificate, allows: @escaping (Fingerprint) -> Bool) {
        self.certificate = certificate
        judge = { allows($0) ? .trusted : .unknown }
    }

    /// Whether a peer is dialled.
    package func allows(_ fingerprint: Fingerprint) -> Bool {
        if case .trusted = judge(fingerprint) { true } else { false }
    }

    /// For a listener: a peer that is to receive a reason is let through the handshake.
    package func listeningContext(at address: String) throws(TransportError) -> SecureContext {
        do {
            return try SecureContext(certificate) { shown in
                if case .unknown = judge(shown) { false } else { true }
            }
        } catch {
            throw .security(error, peer: address)
        }
    }

    /// Trusts exactly one device, or whom `allows` says.
    ///
    /// - Parameter peer: for the words of an error.
    /// - Throws: `security`.
    package func context(
        only fingerprint: Fingerprint? = nil, peer: String
    ) throws(TransportError) -> SecureContext {
        do {
            guard let fingerprint else {
                return try SecureContext(certificate) { allows($0) }
            }
            return try SecureContext(certificate) { $0 == fingerprint }
        } catch {
            throw .security(error, peer: peer)
        }
    }
}

extension PeerError {
    /// A device without an invitation.
    package static var notInvited: PeerError {
        PeerError(
            .refused, reason: .notTrusted, "this device is not trusted by the other end",
            side: .both,
            advice: "pair the two devices: make a code there, and join with it here")
    }
}

/// The decision about a peer by the key that it has shown.
package enum Admission: Sendable {
    /// It is let in.
    case trusted
    /// It is refused, and receives the reason.
    case refused(PeerError)
    /// It may name a mailbox of pairing, and nothing else.
    case stranger
    /// It is not spoken to.
    case unknown
}
