/// The transports of this program.
package enum Transports {
    /// Every transport; a new one is a file beside `TCPAddress.swift` and a line here.
    ///
    /// The first that a text is meant for reads it. TCP stands last: it takes what names no transport.
    package static let all: [any TransportAddress.Type] = [
        StandardStreams.self,
        SSHAddress.self,
        UnixAddress.self,
        TCPAddress.self,
    ]

    /// How addresses are written, for the words of an error; the most usual first.
    static var forms: String {
        let forms = all.reversed().flatMap { $0.forms }
        return forms.dropLast().joined(separator: ", ") + " or " + (forms.last ?? "")
    }
}

/// An address of one transport: how it is written, dialled and listened at.
package protocol TransportAddress: Hashable, Sendable, CustomStringConvertible {
    /// How it is written, for the words of an error.
    static var forms: [String] { get }
    /// Whether both ends prove their keys over TLS, except where plain TCP is allowed.
    ///
    /// False only if the transport itself lets nobody in but whom the user has let in, as ssh and the system do.
    static var provesKeys: Bool { get }
    /// Whether listening serves the one peer that this process was started for, and nobody else.
    static var servesOne: Bool { get }
    /// Whether a text is meant to be such an address, well formed or not.
    static func isMeant(by text: String) -> Bool

    /// Reads an address.
    ///
    /// - Throws: `invalidAddress` that says which part is wrong.
    init(parsing text: String) throws(TransportError)

    /// The address as it can be written again, in one form.
    var description: String { get }

    /// Dials, with the deadline and the keys of the settings.
    ///
    /// - Parameter completion: called once from the loop, unless the call throws; the link is dropped unless it is
    ///   started. What carries the link ends with it.
    /// - Throws: why it cannot even be tried.
    func dial(
        _ settings: TransportSettings, completion: @escaping Dialer.Completion
    ) throws(TransportError)

    /// Listens until the listener is closed.
    ///
    /// - Parameters:
    ///   - refused: given peers that were not let in: their address, and why.
    ///   - accept: called from the loop with each link; it is dropped unless it is started.
    /// - Returns: the listener; nil if the transport serves one peer.
    /// - Throws: `invalidAddress` if nobody can listen there.
    func listen(
        _ settings: TransportSettings, refused: @escaping (String, TransportError) -> Void,
        accept: @escaping Listener.Accept
    ) throws(TransportError) -> (any PeerListener)?
}

extension TransportAddress {
    /// Many peers.
    package static var servesOne: Bool { false }

    /// Throws `invalidAddress`: it can only be dialled.
    package func listen(
        _ settings: TransportSettings, refused: @escaping (String, TransportError) -> Void,
        accept: @escaping Listener.Accept
    ) throws(TransportError) -> (any PeerListener)? {
        throw .invalidAddress(text: description, problem: "it can be dialled, not listened at")
    }
}

/// A transport's way to take peers, until it is closed.
package protocol PeerListener: AnyObject {
    /// Where it listens, for people and for those who dial it.
    var name: String { get }
    /// Takes note that a peer at an address has proved itself: in a crowd that address is served first.
    func peerProved(at network: String)
    /// Stops listening.
    func close()
}

extension PeerListener {
    /// Nobody is crowded out where the system decides who may connect.
    package func peerProved(at network: String) {}
}

/// Where plain TCP may carry a session: anybody on the way can read and change it there.
package enum PlainTCP: Hashable, Sendable {
    /// Nowhere: the space has keys, or may have.
    case nowhere
    /// Between programs of one machine, whatever their accounts.
    case thisMachine
    /// Between machines as well; only if the user said so.
    case anywhere
}

/// The settings with which a transport dials or listens.
package struct TransportSettings {
    /// Where its links live.
    package let loop: EventLoop
    /// This device's key and whom it trusts; nil for plain links only.
    package var security: SyncSecurity?
    /// Where plain TCP may carry the links.
    package var plain: PlainTCP
    /// How long dialling may take, looking up names and proving keys included.
    package var timeout: Duration
    /// The limits of its links.
    package var options: LinkOptions

    /// Settings for links that carry sessions.
    package init(
        on loop: EventLoop, security: SyncSecurity? = nil, plain: PlainTCP = .nowhere,
        timeout: Duration = .seconds(10), options: LinkOptions = .session
    ) {
        self.loop = loop
        self.security = security
        self.plain = plain
        self.timeout = timeout
        self.options = options
    }
}

/// Where a device can be met, over any of the transports.
package struct Endpoint: Sendable {
    /// The transport's address.
    package let address: any TransportAddress

    /// An address that was read already.
    package init(_ address: any TransportAddress) {
        self.address = address
    }

    /// Reads an address by the transport that it is meant for.
    ///
    /// - Throws: `invalidAddress` that says which part is wrong.
    package init(parsing text: String) throws(TransportError) {
        guard let transport = Transports.all.first(where: { $0.isMeant(by: text) }) else {
            let scheme = text.prefix { $0 != ":" }
            throw .invalidAddress(text: text, problem: "Tandem does not speak \(scheme)")
        }
        address = try transport.init(parsing: text)
    }

    /// Whether both ends prove their keys.
    package var provesKeys: Bool { type(of: address).provesKeys }

    /// Whether listening there serves one peer.
    package var servesOne: Bool { type(of: address).servesOne }

    /// Dials; see `TransportAddress.dial`.
    package func dial(
        _ settings: TransportSettings, completion: @escaping Dialer.Completion
    ) throws(TransportError) {
        try address.dial(settings, completion: completion)
    }

    /// Listens; see `TransportAddress.listen`.
    package func listen(
        _ settings: TransportSettings,
        refused: @escaping (String, TransportError) -> Void = { _, _ in },
        accept: @escaping Listener.Accept
    ) throws(TransportError) -> (any PeerListener)? {
        try address.listen(settings, refused: refused, accept: accept)
    }
}

extension Endpoint: Hashable {
    /// Whether both are the same address of the same transport.
    package static func == (a: Endpoint, b: Endpoint) -> Bool {
        AnyHashable(a.address) == AnyHashable(b.address)
    }

    /// Hashes the address.
    package func hash(into hasher: inout Hasher) {
        address.hash(into: &hasher)
    }
}

extension Endpoint: CustomStringConvertible {
    /// The address as it can be written again.
    package var description: String { address.description }
}
