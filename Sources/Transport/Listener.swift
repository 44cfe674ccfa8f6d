import Core
import CLinux
import Crypto
import Glibc

/// Accepts connections over TCP on one address.
package final class Listener: PeerListener {
    /// Called for each connection; it is dropped unless the link is started.
    package typealias Accept = (Link) -> Void

    /// Where it listens; with the port that was given if 0 was asked for.
    package let address: SocketAddress
    /// The address, for people.
    package var name: String { address.description }
    /// How often it had to stop for a while because the process had no descriptors left.
    package var pauseCount: Int { acceptor.pauseCount }

    /// Told of peers that were not let in: their address, and why.
    package var onRefusal: (String, TransportError) -> Void {
        get { acceptor.onRefusal }
        set { acceptor.onRefusal = newValue }
    }

    private let acceptor: Acceptor

    /// Listens at the first of these addresses that can be bound, until `close`.
    ///
    /// The loop holds what it needs so long.
    /// - Parameters:
    ///   - security: decides which peers are admitted. Nil listens in plain.
    ///   - plain: who may speak in plain. With `security` they are served beside those who do not.
    ///   - accept: takes a link whose peer has proved who it is, or may speak in plain.
    /// - Throws: `insecureListen`, or `failedCall` of `socket`, `bind` or `listen` for the last.
    package init(
        on loop: EventLoop, at addresses: [SocketAddress], security: SecureContext? = nil,
        plain: PlainTCP = .thisMachine, options: LinkOptions = LinkOptions(),
        accept: @escaping Accept
    ) throws(TransportError) {
        let number: CInt
        (number, address) =
            try security == nil
            ? Self.plainSocket(at: addresses, plain: plain) : Self.boundToFirst(of: addresses)
        acceptor = try Acceptor(
            on: loop, socket: Descriptor(owning: number), security: security,
            acceptsPlain: plain == .anywhere || plain == .thisMachine && address.isLoopback,
            options: options, accept: accept)
    }

    /// The same for a place as the user wrote it; may wait for the network to tell its number.
    ///
    /// - Throws: `unresolvedHost` as well.
    package convenience init(
        on loop: EventLoop, at hostAndPort: HostAndPort, security: SecureContext? = nil,
        plain: PlainTCP = .thisMachine, options: LinkOptions = LinkOptions(),
        accept: @escaping Accept
    ) throws(TransportError) {
        try self.init(
            on: loop, at: hostAndPort.resolved(), security: security, plain: plain,
            options: options, accept: accept)
    }

    /// Whether a connection from an address may begin its handshake.
    package var admits: (String) -> Bool {
        get { acceptor.admits }
        set { acceptor.admits = newValue }
    }

    /// The balancers that say for whom a connection of theirs is; set before the loop runs.
    package var proxies: [AddressRange] {
        get { acceptor.proxies }
        set { acceptor.proxies = newValue }
    }

    /// Takes note that a peer at an address has proved itself: in a crowd that address is served first.
    package func peerProved(at network: String) { acceptor.peerProved(at: network) }

    /// Stops listening; connections that were not accepted yet are refused.
    package func close() {
        acceptor.close()
    }

    /// Stops listening, after all that wait to be accepted are; their handshakes go on until `close`.
    package func closeDoor() {
        acceptor.closeDoor()
    }

    /// The connections of which the handshake goes on.
    package var handshakeCount: Int { acceptor.handshakeCount }
}

extension Listener {
    /// Listens in plain at the first of these addresses that can be bound.
    ///
    /// - Returns: the socket, which the caller has to close, and its address.
    /// - Throws: `plainForbidden`, `insecureListen`; `failedCall` for the last address.
    package static func plainSocket(
        at addresses: [SocketAddress], plain: PlainTCP = .thisMachine
    ) throws(TransportError) -> (number: CInt, address: SocketAddress) {
        if plain == .nowhere, let first = addresses.first {
            throw .plainForbidden(address: first.description)
        }
        if plain != .anywhere, let open = addresses.first(where: { !$0.isLoopback }) {
            throw .insecureListen(address: open.description)
        }
        return try boundToFirst(of: addresses)
    }

    private static func boundToFirst(
        of addresses: [SocketAddress]
    ) throws(TransportError) -> (number: CInt, address: SocketAddress) {
        var failure = TransportError.invalidAddress(text: "", problem: "there is none")
        for address in addresses {
            do {
                return try bound(to: address)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func bound(
        to address: SocketAddress
    ) throws(TransportError) -> (CInt, SocketAddress) {
        let name = address.description
        let type = CInt(
            SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = socket(address.family, type, 0)
        guard number >= 0 else { throw .failedCall(.socket, errno: errno, about: name) }
        TCPOptions.applyToListener(number, family: address.family)
        var failed: SystemCall?
        if address.withKernelForm({ bind(number, $0, $1) }) != 0 {
            failed = .bind
        } else if listen(number, SOMAXCONN) != 0 {
            failed = .listen
        }
        if let failed {
            let code = errno
            _ = Glibc.close(number)
            throw .failedCall(failed, errno: code, about: name)
        }
        return (number, SocketAddress.local(of: number) ?? address)
    }
}

/// Accepts connections at a socket that listens, of whichever transport, until it is closed.
///
/// The loop holds it so long.
package final class Acceptor {
    /// How often it had to stop for a while because the process had no descriptors left.
    package private(set) var pauseCount = 0
    /// Told of peers that were not let in: their address, and why.
    package var onRefusal: (String, TransportError) -> Void = { _, _ in }
    /// Whether a connection from an address may begin its handshake; asked before anything is spent on it.
    package var admits: (String) -> Bool = { _ in true }
    /// The balancers that say for whom a connection of theirs is.
    var proxies: [AddressRange] = []
    /// Why a connection is dropped as soon as it is there; nil if it is not.
    var admitsSocket: (CInt) -> TransportError? = { _ in nil }

    private static let pauseTime = Duration.milliseconds(200)

    private let loop: EventLoop
    private let options: LinkOptions
    private let security: SecureContext?
    private let acceptsPlain: Bool
    private let accept: Listener.Accept
    /// Links of which the handshake goes on.
    private var securing: UnprovedLinks
    private var proved = ProvedNetworks()
    /// Connections of balancers of which it is not known yet for whom they are.
    private var proxied: [ObjectIdentifier: ProxiedConnection] = [:]
    private var socket: Descriptor?
    private var registration: EventLoop.Registration?
    private var pauseTimer: TimerID?

    /// Accepts from the time on that the loop runs.
    ///
    /// - Parameters:
    ///   - socket: a socket that listens and does not wait.
    ///   - security: decides which peers are admitted. Nil accepts all of them, in plain.
    ///   - acceptsPlain: whether a peer that does not begin with TLS is admitted without proof.
    ///   - accept: takes a link whose peer has proved who it is, or may speak in plain.
    /// - Throws: `failedCall` of `epoll_ctl`.
    package init(
        on loop: EventLoop, socket: consuming Descriptor, security: SecureContext?,
        acceptsPlain: Bool, options: LinkOptions, accept: @escaping Listener.Accept
    ) throws(TransportError) {
        self.socket = consume socket
        self.loop = loop
        self.options = options
        self.security = security
        self.acceptsPlain = acceptsPlain
        self.accept = accept
        securing = UnprovedLinks(
            countMax: options.handshakeCountMax,
            networkCountMax: min(options.networkHandshakeCountMax, options.handshakeCountMax))
        try watch()
    }

    /// Takes note that a peer at an address has proved itself: in a crowd that address is served first.
    package func peerProved(at network: String) {
        proved.note(network, now: SystemEnvironment.now().milliseconds)
    }

    /// Stops accepting; connections that were not accepted yet are refused.
    package func close() {
        if let pauseTimer { loop.cancel(pauseTimer) }
        pauseTimer = nil
        if let registration { loop.remove(registration) }
        registration = nil
        socket = nil
        for connection in proxied.values { connection.close() }
        proxied = [:]
        securing.closeAll()
    }

    /// Stops accepting, after all that wait to be accepted are; their handshakes go on until `close`.
    package func closeDoor() {
        for _ in 0..<Self.doorCallCountMax where !acceptSome() {}
        if let pauseTimer { loop.cancel(pauseTimer) }
        pauseTimer = nil
        if let registration { loop.remove(registration) }
        registration = nil
        socket = nil
    }

    /// The connections of which the handshake goes on.
    package var handshakeCount: Int { securing.count + proxied.count }

    /// As many as wait in the kernel's longest queue, in calls of `acceptSome`.
    private static let doorCallCountMax = Int(SOMAXCONN) / 64

    private func watch() throws(TransportError) {
        guard let number = socket?.number else { return }
        registration = try loop.add(number, .readable) { _ in _ = self.acceptSome() }
    }

    /// Whether nobody waits any more, or none can be accepted.
    private func acceptSome() -> Bool {
        // Bounded, so that a crowd at the door does not hold up those inside.
        for _ in 0..<64 {
            guard let listening = socket?.number else { return true }
            let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let number = tandem_accept4(listening, nil, nil, flags)
            if number >= 0 {
                // Fails only if the connection is gone already.
                let connection = Descriptor(owning: number)
                if let error = admitsSocket(number) {
                    onRefusal("a local socket", error)
                    continue
                }
                if let balancer = balancer(number) {
                    awaitHeader(connection, from: balancer)
                } else {
                    begin(connection, for: nil)
                }
            } else if errno == EAGAIN {
                return true
            } else if Self.isShortage(errno) {
                pause()
                return true
            }
            // Anything else is the fault of one connection that failed before it was accepted.
        }
        return false
    }

    /// The balancer that has opened a connection; nil if none of them has.
    private func balancer(_ number: CInt) -> SocketAddress? {
        guard !proxies.isEmpty, let address = SocketAddress.peer(of: number) else { return nil }
        return proxies.contains { $0.contains(address) } ? address : nil
    }

    private func awaitHeader(_ connection: consuming Descriptor, from balancer: SocketAddress) {
        guard proxied.count < options.handshakeCountMax else {
            return onRefusal(balancer.description, .crowded(address: balancer.description))
        }
        do throws(TransportError) {
            let waiting = try ProxiedConnection(
                connection, from: balancer, on: loop, timeout: options.handshakeMax,
                completion: headerIsRead)
            proxied[ObjectIdentifier(waiting)] = waiting
        } catch {
            onRefusal(balancer.description, error)
        }
    }

    private func headerIsRead(
        _ waiting: ProxiedConnection, _ result: Result<SocketAddress, TransportError>
    ) {
        proxied[ObjectIdentifier(waiting)] = nil
        switch result {
        case .success(let peer): if let connection = waiting.take() { begin(connection, for: peer) }
        case .failure(let error): onRefusal(waiting.balancer.description, error)
        }
    }

    /// Takes a connection of a peer; nil for the one at its other end.
    private func begin(_ connection: consuming Descriptor, for peer: SocketAddress?) {
        do throws(TransportError) {
            let link = try Link(socket: connection, peer: peer, on: loop, options: options)
            if let security { secure(link, security) } else { accept(link) }
        } catch {
            // It is gone already.
            onRefusal(peer?.description ?? "a peer", error)
        }
    }

    private func secure(_ link: Link, _ security: SecureContext) {
        guard admits(link.network) else {
            onRefusal(link.name, .crowded(address: link.name))
            return link.close()
        }
        let now = SystemEnvironment.now().milliseconds
        let surplus = securing.add(link) { proved.contains($0, now: now) }
        link.secure(
            with: security, as: .server, acceptsPlain: acceptsPlain, timeout: options.handshakeMax
        ) { [weak self] result in
            guard let self else { return }
            securing.remove(link)
            switch result {
            case .success: accept(link)
            case .failure(let error): onRefusal(link.name, error)
            }
        }
        guard let surplus else { return }
        surplus.close()
        onRefusal(surplus.name, .crowded(address: surplus.name))
    }

    private static func isShortage(_ code: CInt) -> Bool {
        code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM
    }

    /// The waiting connection stays readable, so without a pause the loop would spin on it.
    private func pause() {
        if let registration { loop.remove(registration) }
        registration = nil
        pauseCount += 1
        pauseTimer = loop.schedule(after: Self.pauseTime) {
            self.pauseTimer = nil
            do { try self.watch() } catch { self.pause() }
        }
    }
}
