import Security
import Transport
import Wire

/// How a device proves who it is, and whom it trusts.
package struct SyncSecurity {
    /// This device.
    package var certificate: DeviceCertificate
    /// What becomes of a peer; asked at each handshake, and again behind it.
    package var judge: (Fingerprint) -> Admission
    /// Why a stranger who has introduced himself on a channel is refused; nil to let him in.
    package var introduce: (Approach, Fingerprint, _ binding: [UInt8]) -> PeerError? = { _, _, _ in
        .notInvited
    }

    /// A device that trusts whom `allows` says.
    package init(certificate: DeviceCertificate, allows: @escaping (Fingerprint) -> Bool) {
        self.certificate = certificate
        judge = { allows($0) ? .trusted : .unknown }
    }

    /// Whether a peer is dialled.
    func allows(_ fingerprint: Fingerprint) -> Bool {
        if case .trusted = judge(fingerprint) { true } else { false }
    }

    /// For a listener: whoever is to be told something is let through the handshake.
    func listeningContext(at place: String) throws(TransportError) -> SecureContext {
        do {
            return try SecureContext(certificate) { shown in
                if case .unknown = judge(shown) { false } else { true }
            }
        } catch {
            throw .security(error, peer: place)
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

extension Dialer {
    /// Dials as an endpoint asks for: over TLS if it names a fingerprint or another machine.
    ///
    /// - Throws: `security` if TLS is asked for and not to be had.
    static func dial(
        _ endpoint: Endpoint, on loop: EventLoop, security: SyncSecurity?, allowInsecure: Bool,
        timeout: Duration, completion: @escaping Completion
    ) throws(TransportError) -> Dialer? {
        var context: SecureContext?
        let place: HostAndPort
        var prefersPlainLoopback = false
        switch endpoint {
        case .tcp(let found):
            place = found
            prefersPlainLoopback = true
            if let security, !allowInsecure {
                context = try security.context(peer: found.description)
            }
        case .tls(let found, let fingerprint):
            place = found
            guard let security else { throw .security(.notBuiltIn, peer: found.description) }
            if case .refused = security.judge(fingerprint) {
                throw .security(.revokedPeer(fingerprint), peer: found.description)
            }
            context = try security.context(only: fingerprint, peer: found.description)
        case .ssh, .standardStreams: return nil
        }
        return Dialer(
            on: loop, to: place, timeout: timeout, security: context,
            prefersPlainLoopback: prefersPlainLoopback, allowInsecure: allowInsecure,
            options: ReplicaRunner.linkOptions, completion: completion)
    }
}
