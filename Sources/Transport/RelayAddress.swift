import Crypto

/// The addresses of a relay: `relay://host:port#FINGERPRINT`, with commas between several hosts and ports.
///
/// At each of them is a process of the same relay: all show one key and serve all spaces. Without a fingerprint it is
/// spoken to in plain, which only a relay on this machine is, or one on a network that the user trusts.
package struct RelayAddress: Hashable, Sendable {
    /// The port on which a relay listens by default: one above a device's, so that both fit on one
    /// machine.
    package static let defaultPort: UInt16 = 7718
    /// The most hosts and ports of one relay: as many addresses as a pairing code hands over.
    package static let countMax = 8

    /// Host and port of each process, one or more; no two are the same.
    package let hostsAndPorts: [HostAndPort]
    /// The relay's own fingerprint; nil for plain TCP.
    package let fingerprint: Fingerprint?

    /// A relay at one host and port.
    package init(_ hostAndPort: HostAndPort, fingerprint: Fingerprint?) {
        hostsAndPorts = [hostAndPort]
        self.fingerprint = fingerprint
    }

    /// The first of its hosts and ports.
    package var hostAndPort: HostAndPort { hostsAndPorts[0] }

    /// The same hosts and ports with another key.
    package func with(_ fingerprint: Fingerprint) -> RelayAddress {
        RelayAddress(hostsAndPorts, fingerprint)
    }

    /// The same relay with one more host and port, if it has room for it and does not have it yet.
    package func adding(_ hostAndPort: HostAndPort) -> RelayAddress {
        let isKnown = hostsAndPorts.contains(hostAndPort)
        if isKnown || hostsAndPorts.count >= Self.countMax { return self }
        return RelayAddress(hostsAndPorts + [hostAndPort], fingerprint)
    }

    private init(_ hostsAndPorts: [HostAndPort], _ fingerprint: Fingerprint?) {
        self.hostsAndPorts = hostsAndPorts
        self.fingerprint = fingerprint
    }

    /// How one of its hosts and ports is dialled: a relay is a device to the transports, and TCP the only way to it.
    ///
    /// - Parameter index: of the host and port; counted on from the first behind the last.
    package func endpoint(at index: Int = 0) -> Endpoint {
        Endpoint(TCPAddress(hostsAndPorts[index % hostsAndPorts.count], fingerprint: fingerprint))
    }

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
        hostsAndPorts = try Self.hostsAndPorts(in: parts[0], of: text)
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

    private static func hostsAndPorts(
        in part: Substring, of text: String
    ) throws(TransportError) -> [HostAndPort] {
        var found: [HostAndPort] = []
        for word in part.split(separator: ",", omittingEmptySubsequences: false) {
            let one: HostAndPort
            do {
                one = try HostAndPort.split(word, defaultPort: defaultPort)
            } catch {
                throw .invalidAddress(text: text, problem: error.problem)
            }
            if found.contains(one) {
                throw .invalidAddress(text: text, problem: "\(one) stands there twice")
            }
            guard found.count < countMax else {
                throw .invalidAddress(
                    text: text, problem: "a relay has at most \(countMax) addresses")
            }
            found.append(one)
        }
        return found
    }
}

extension RelayAddress: CustomStringConvertible {
    /// The address as it can be written again.
    package var description: String {
        Self.scheme + hostsAndPorts.map(\.description).joined(separator: ",")
            + (fingerprint.map { "#\($0)" } ?? "")
    }
}
