import Crypto

/// A device that listens on a port: `host:port`, `tcp://host:port`, `tcp://host:port#FINGERPRINT`.
///
/// Over TLS both ends prove their keys. In plain, where the settings allow that, it is reached on this machine or
/// anywhere; with a fingerprint it is the one device of that key, never in plain.
package struct TCPAddress: TransportAddress {
    /// Host and port.
    package let hostAndPort: HostAndPort
    /// The one device that it has to be; nil for any that is trusted.
    package let fingerprint: Fingerprint?

    /// A place, and the device that has to be there.
    package init(_ hostAndPort: HostAndPort, fingerprint: Fingerprint?) {
        self.hostAndPort = hostAndPort
        self.fingerprint = fingerprint
    }

    /// With a name, with a number, and with the scheme.
    package static let forms = ["host:port", "[::1]:port", "tcp://host:port"]
    /// The network vouches for nobody.
    package static let provesKeys = true

    /// Whether a text names this transport, or none.
    package static func isMeant(by text: String) -> Bool {
        text.hasPrefix("tcp://") || !text.contains("://")
    }

    /// Reads the three forms.
    package init(parsing text: String) throws(TransportError) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        hostAndPort = try HostAndPort(parsing: String(parts[0]))
        guard parts.count == 2 else {
            fingerprint = nil
            return
        }
        do {
            fingerprint = try Fingerprint(parsing: String(parts[1]))
        } catch {
            throw .invalidAddress(text: text, problem: error.description)
        }
    }

    /// `tcp://host:port`, with the fingerprint if there is one.
    package var description: String {
        "tcp://\(hostAndPort)" + (fingerprint.map { "#\($0)" } ?? "")
    }

    /// Dials over TLS if the address names a fingerprint, or plain TCP is not allowed there.
    ///
    /// - Throws: `security` if TLS is asked for and not to be had; `plainForbidden`.
    package func dial(
        _ settings: TransportSettings, completion: @escaping Dialer.Completion
    ) throws(TransportError) {
        var context: SecureContext?
        if let fingerprint {
            guard let security = settings.security else {
                throw .security(.notBuiltIn, peer: hostAndPort.description)
            }
            if case .refused = security.judge(fingerprint) {
                throw .security(.revokedPeer(fingerprint), peer: hostAndPort.description)
            }
            context = try security.context(only: fingerprint, peer: hostAndPort.description)
        } else if let security = settings.security, settings.plain != .anywhere {
            context = try security.context(peer: hostAndPort.description)
        } else if settings.plain == .nowhere {
            throw .plainForbidden(address: hostAndPort.description)
        }
        Dialer(
            on: settings.loop, to: hostAndPort, timeout: settings.timeout, security: context,
            prefersPlainLoopback: fingerprint == nil && settings.plain != .nowhere,
            allowInsecure: settings.plain == .anywhere,
            options: settings.options, completion: completion)
    }

    /// Listens over TLS for those whom the keys let in, and in plain for those to whom that is allowed.
    package func listen(
        _ settings: TransportSettings, refused: @escaping (String, TransportError) -> Void,
        accept: @escaping Listener.Accept
    ) throws(TransportError) -> (any PeerListener)? {
        guard fingerprint == nil else {
            throw .invalidAddress(
                text: description, problem: "a fingerprint is only for dialling")
        }
        let context = try settings.security?.listeningContext(at: hostAndPort.description)
        let listener = try Listener(
            on: settings.loop, at: hostAndPort, security: context,
            plain: settings.plain, options: settings.options, accept: accept)
        listener.onRefusal = refused
        return listener
    }
}

extension Endpoint {
    /// Any trusted device at a place.
    package static func tcp(_ hostAndPort: HostAndPort) -> Endpoint {
        Endpoint(TCPAddress(hostAndPort, fingerprint: nil))
    }

    /// The one device of that fingerprint at a place, over TLS.
    package static func tls(_ hostAndPort: HostAndPort, _ fingerprint: Fingerprint) -> Endpoint {
        Endpoint(TCPAddress(hostAndPort, fingerprint: fingerprint))
    }
}
