import Core
import Crypto
import Transport

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
            options: LinkOptions.session, completion: completion)
    }
}
