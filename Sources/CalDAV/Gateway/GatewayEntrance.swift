import Devices
import FoundationEssentials
import HTTP

/// Decides who may use the gateway: clients with the password that was made for them.
package final class GatewayEntrance {
    /// The wrong passwords from one network after which it has to wait.
    package static let failureCountMax = 20
    /// For how long wrong passwords count, and a network has to wait; seconds.
    package static let failureSeconds = 60
    /// The most networks whose wrong passwords are counted; the one that began first is forgotten.
    package static let networkCountMax = 1_000
    /// The most passwords that are remembered as right, so that a network that has to wait keeps out none of them.
    private static let rememberedCountMax = 128

    private let clients: GatewayClients
    /// Milliseconds that only rise.
    private let clock: () -> Int64
    private var failures: [String: (count: Int, since: Int64)] = [:]
    /// The credentials that were right, as they were sent.
    private var remembered: Set<String> = []

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
        let network = Self.network(of: request)
        let isRemembered = remembered.contains(field)
        if !isRemembered, let seconds = wait(network) {
            throw GatewayRefusal.tooManyAttempts(seconds: seconds)
        }
        guard let (name, password) = Self.credentials(field),
            let client = try clients.client(named: name, password: password)
        else {
            remembered.remove(field)
            noteFailure(network)
            throw GatewayRefusal.noClient
        }
        if !isRemembered, remembered.count < Self.rememberedCountMax { remembered.insert(field) }
        return client
    }

    /// The network that a request came from; behind a proxy of this machine the one that it names.
    static func network(of request: HTTPRequest) -> String {
        if request.isFromThisMachine, let forwarded = request.header("x-forwarded-for"),
            let last = forwarded.split(separator: ",").last?.split(separator: " ").first
        {
            return String(last.prefix(64))
        }
        return request.clientNetwork ?? ""
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

    /// How long a network has to wait; nil if it need not.
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
