import Crypto

/// Where a relay can be met: `relay://host:port#FINGERPRINT`.
///
/// Without a fingerprint it is spoken to in plain, which only a relay on this machine is, or one on a network that the
/// user trusts.
package struct RelayAddress: Hashable, Sendable {
    /// The port on which a relay listens by default: one above a device's, so that both fit on one
    /// machine.
    package static let defaultPort: UInt16 = 7718

    /// Host and port.
    package let hostAndPort: HostAndPort
    /// The relay's own fingerprint; nil for plain TCP.
    package let fingerprint: Fingerprint?

    /// A relay at a place.
    package init(_ hostAndPort: HostAndPort, fingerprint: Fingerprint?) {
        self.hostAndPort = hostAndPort
        self.fingerprint = fingerprint
    }

    /// The same place with another key.
    package func with(_ fingerprint: Fingerprint) -> RelayAddress {
        RelayAddress(hostAndPort, fingerprint: fingerprint)
    }

    /// How it is dialled: a relay is a device to the transports, and TCP the only way to it.
    package var endpoint: Endpoint { Endpoint(TCPAddress(hostAndPort, fingerprint: fingerprint)) }

    /// Whether a text is meant to be the address of a relay.
    package static func isMeant(by text: String) -> Bool { text.hasPrefix(scheme) }

    private static let scheme = "relay://"

    /// Reads the address of a relay.
    ///
    /// - Throws: `invalidAddress` that says which part is wrong.
    package init(parsing text: String) throws(TransportError) {
        guard text.hasPrefix(Self.scheme) else {
            throw .invalidAddress(
                text: text, problem: "a relay's begins with \(Self.scheme), as the relay prints it")
        }
        let rest = text.dropFirst(Self.scheme.count)
        let parts = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        do {
            hostAndPort = try HostAndPort.split(parts[0], defaultPort: Self.defaultPort)
        } catch {
            throw .invalidAddress(text: text, problem: error.problem)
        }
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
}

extension RelayAddress: CustomStringConvertible {
    /// The address as it can be written again.
    package var description: String {
        "\(Self.scheme)\(hostAndPort)" + (fingerprint.map { "#\($0)" } ?? "")
    }
}
