import Devices
import FoundationEssentials
import HTTP

/// Decides who may use the gateway: clients with the password that was made for them.
///
/// A right password is always let in: it was drawn from 125 bits, so no number of attempts finds one, and a wait for it
/// would let anybody lock clients out. To look at one reads at most 64 short rows and hashes once, on the one thread of the
/// gateway, so no two at a time, of as many connections as the port has places.
package final class GatewayEntrance {
    /// The wrong passwords from one network after which further wrong ones are told to wait.
    package static let failureCountMax = 20
    /// For how long wrong passwords count, and wrong ones are told to wait; seconds.
    package static let failureSeconds = 60
    /// The most networks whose wrong passwords are counted; the one that began first is forgotten.
    package static let networkCountMax = 1_000

    private let clients: GatewayClients
    /// Milliseconds that only rise.
    private let clock: () -> Int64
    private var failures: [String: (count: Int, since: Int64)] = [:]

    /// Lets in the clients of a store.
    ///
    /// - Parameter clock: milliseconds since any time; it need not be right.
    package init(_ clients: GatewayClients, clock: @escaping () -> Int64) {
        self.clients = clients
        self.clock = clock
    }

    /// The client that sent a request.
    ///
    /// - Throws: `noClient` or `tooManyAttempts`.
    package func client(_ request: HTTPRequest) throws -> GatewayClient {
        guard let field = request.header("authorization") else { throw GatewayRefusal.noClient }
        if let (name, password) = Self.credentials(field),
            let client = try clients.client(named: name, password: password)
        {
            return client
        }
        // Of the socket alone: anybody who reaches the port could name another network in a header.
        let network = request.clientNetwork ?? ""
        if let seconds = wait(network) { throw GatewayRefusal.tooManyAttempts(seconds: seconds) }
        noteFailure(network)
        throw GatewayRefusal.noClient
    }

    /// The name and password of Basic authentication (RFC 7617).
    static func credentials(_ field: String) -> (name: String, password: String)? {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", parts[1].utf8.count <= 1_000,
            let data = Data(base64Encoded: String(parts[1])),
            let text = String(validating: data, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    // MARK: Wrong passwords

    /// How long wrong passwords of a network have to wait; nil if they need not.
    private func wait(_ network: String) -> Int? {
        guard let known = failures[network], known.count >= Self.failureCountMax else { return nil }
        let left = known.since + Int64(Self.failureSeconds) * 1_000 - clock()
        if left > 0 { return Int((left + 999) / 1_000) }
        failures[network] = nil
        return nil
    }

    private func noteFailure(_ network: String) {
        let now = clock()
        var known = failures[network] ?? (0, now)
        if now - known.since > Int64(Self.failureSeconds) * 1_000 { known = (0, now) }
        known.count += 1
        // The wait begins anew with the last of them.
        if known.count >= Self.failureCountMax { known.since = now }
        failures[network] = known
        if failures.count > Self.networkCountMax,
            let oldest = failures.min(by: { ($0.value.since, $0.key) < ($1.value.since, $1.key) })
        {
            failures[oldest.key] = nil
        }
    }
}
