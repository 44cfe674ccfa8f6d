import Crypto

/// Where a peer can be met, as the user writes it.
package enum Endpoint: Hashable, Sendable {
    /// `tcp://host:port` or `host:port`.
    case tcp(HostAndPort)
    /// `tcp://host:port#FINGERPRINT`: over TLS, with the one device of that fingerprint.
    case tls(HostAndPort, Fingerprint)
    /// `ssh://[user@]host[:port][/path-to-store]`.
    case ssh(SSHAddress)
    /// `stdio:`, the streams this process was started with.
    case standardStreams

    /// Reads a sync address.
    ///
    /// - Throws: `invalidAddress` that says which part is wrong.
    package init(parsing text: String) throws(TransportError) {
        if text == "stdio:" || text == "stdio://" {
            self = .standardStreams
        } else if text.hasPrefix("ssh://") {
            do {
                self = .ssh(try SSHAddress(parsing: text.dropFirst(6)))
            } catch {
                throw .invalidAddress(text: text, problem: error.problem)
            }
        } else if let end = text.firstIndex(of: "://"), text[..<end] != "tcp" {
            throw .invalidAddress(
                text: text, problem: "Tandem does not speak \(text[..<end])")
        } else if let mark = text.firstIndex(of: "#") {
            let place = try HostAndPort(parsing: String(text[..<mark]))
            do {
                let digits = String(text[text.index(after: mark)...])
                self = .tls(place, try Fingerprint(parsing: digits))
            } catch {
                throw .invalidAddress(text: text, problem: error.description)
            }
        } else {
            self = .tcp(try HostAndPort(parsing: text))
        }
    }
}

extension Endpoint {
    /// Whether it is reached over TCP, so that this end may have to prove its identity.
    package var isTCP: Bool {
        switch self {
        case .tcp, .tls: true
        case .ssh, .standardStreams: false
        }
    }
}

extension Endpoint: CustomStringConvertible {
    /// The address as it can be written again.
    package var description: String {
        switch self {
        case .tcp(let place): "tcp://\(place)"
        case .tls(let place, let fingerprint): "tcp://\(place)#\(fingerprint)"
        case .ssh(let address): address.description
        case .standardStreams: "stdio:"
        }
    }
}

extension String {
    /// Where `needle` starts, without Foundation.
    fileprivate func firstIndex(of needle: String) -> String.Index? {
        indices.first { self[$0...].hasPrefix(needle) }
    }
}
