import Core
import Crypto
import Glibc
import Relay
import Session
import Storage
import Transport

/// A relay in the real world: its conversations over links, one commit at the end of each turn of the loop.
package final class RelayServer {
    /// Where it runs.
    package let loop: EventLoop
    /// The relay itself.
    package let node: RelayEngine
    /// Where it listens; nil before `listen`.
    package private(set) var address: SocketAddress?
    /// Where its metrics are; nil if nowhere.
    package var metricsAddress: SocketAddress? { monitor?.address }

    let log: (LogLine) -> Void
    private(set) var options: RelayServerOptions
    private var listener: Listener?
    private var monitor: MonitorServer?
    private var links: [RelayServerSessionID: RelayLink] = [:]
    private var linkCounts: [String: Int] = [:]
    private var isCommitPlanned = false
    private(set) var isDraining = false
    private(set) var commits = DurationCounts()
    private(set) var refusedLinkCount = 0
    let startedAt = SystemEnvironment.wallMilliseconds()

    /// The shares of this process's descriptors.
    private var shares: DescriptorShares

    /// Opens the relay's folder.
    ///
    /// - Parameter log: receives events.
    package init(
        _ options: RelayServerOptions, log: @escaping (LogLine) -> Void
    ) throws {
        self.log = log
        var options = options
        shares = Self.bound(&options.relay, log)
        self.options = options
        loop = try EventLoop()
        node = try RelayEngine(
            options: options.relay, access: SealedRelayAccess(),
            environment: StoreEnvironment(
                wallMilliseconds: SystemEnvironment.wallMilliseconds,
                drawBits: SystemEnvironment.random,
                machine: SystemEnvironment.machine, boot: SystemEnvironment.boot))
    }

    /// Binds its ports; devices are answered once `serve` is called.
    package func listen() throws {
        var context: SecureContext?
        if let certificate = options.certificate {
            // Any key may connect: a member of a space proves that with the space's own key.
            context = try SyncSecurity(certificate: certificate) { _ in true }
                .context(peer: options.hostAndPort.description)
        }
        var linkOptions = LinkOptions.session
        linkOptions.handshakeCountMax = shares.handshakes
        let listener = try Listener(
            on: loop, at: options.hostAndPort, security: context,
            allowInsecure: options.allowInsecure,
            options: linkOptions
        ) { [unowned self] link in answer(link) }
        listener.onRefusal = { [unowned self] name, error in
            refusedLinkCount += 1
            log(
                LogLine(.debug, "handshake-failed", ["address": name, "message": error.summary]))
        }
        self.listener = listener
        address = listener.address
        if let hostAndPort = options.metricsAddress {
            monitor = try MonitorServer(on: loop, at: hostAndPort) { [unowned self] path in
                page(path)
            }
        }
    }

    /// From now on SIGTERM and SIGINT let the conversations end, a second one ends at once; what was acknowledged is on
    /// the disk in either case.
    ///
    /// - Parameter reload: called on SIGHUP.
    package func watchSignals(
        reload: @escaping (RelayServer) -> Void
    ) throws(TransportError) {
        try loop.watchSignals([SIGTERM, SIGINT, SIGHUP]) { [unowned self] signal in
            if signal == SIGHUP { reload(self) } else { stop() }
        }
    }

    /// Serves until a signal that is watched asks to stop, or `stop` is called on the loop's thread.
    package func serve() throws(TransportError) {
        try loop.run()
        let left = links.count
        perform(node.close(now: SystemEnvironment.now()))
        for link in links.values { link.link.close() }
        links = [:]
        listener?.close()
        monitor?.close()
        log(LogLine(.info, "stopped", ["cut": "\(left)"]))
    }

    /// Stops as a signal does; on the loop's thread.
    package func stop() {
        listener?.close()
        if isDraining || links.isEmpty { return loop.stop() }
        isDraining = true
        log(LogLine(.info, "draining", ["connections": "\(links.count)"]))
        perform(node.runAll(.drain, now: SystemEnvironment.now()))
        loop.schedule(after: options.drainMax) { [unowned self] in loop.stop() }
    }

    /// Takes other limits, another token, from the next relay hello on; the folder stays.
    package func change(_ relay: RelayOptions, networkLinkCountMax: Int, drainMax: Duration) {
        options.networkLinkCountMax = networkLinkCountMax
        options.drainMax = drainMax
        var relay = relay
        shares = Self.bound(&relay, log)
        node.change(relay)
    }

    /// Limits a relay to the available descriptors.
    private static func bound(
        _ relay: inout RelayOptions, _ log: (LogLine) -> Void
    ) -> DescriptorShares {
        let limit = DescriptorLimit.raised()
        let shares = DescriptorShares(limit: limit, relay.limits)
        let isBound =
            shares.sessions < relay.limits.sessionCountMax
            || shares.spaces < relay.limits.openSpaceCountMax
        relay.limits.sessionCountMax = shares.sessions
        relay.limits.openSpaceCountMax = shares.spaces
        if isBound {
            log(
                LogLine(
                    .info, "descriptors-few",
                    [
                        "limit": "\(limit)", "connections": "\(shares.sessions)",
                        "spaces": "\(shares.spaces)",
                        "message": "fewer than set; raise the limit (ulimit -n)",
                    ]))
        }
        return shares
    }

    // MARK: Links

    private func answer(_ link: Link) {
        let network = link.peerAddress?.network ?? link.name
        let count = linkCounts[network, default: 0]
        let most = node.options.limits.sessionCountMax + shares.leaving
        guard count < options.networkLinkCountMax, links.count < most else {
            refusedLinkCount += 1
            log(LogLine(.warning, "crowded", ["address": link.name, "connections": "\(count)"]))
            return link.close()
        }
        linkCounts[network] = count + 1
        let channel = RelayChannel(
            address: network, binding: link.relayBinding, hasChecksum: !link.isSecured)
        let (session, outputs) = node.open(channel, now: SystemEnvironment.now())
        log(
            LogLine(
                .debug, "connected",
                [
                    "session": "\(session.number)", "address": link.name,
                    "fingerprint": link.peerFingerprint.map { "\($0)" },
                ]))
        let relayLink = RelayLink(link: link, session: session, network: network, server: self)
        links[session] = relayLink
        link.start(relayLink)
        perform(outputs)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from session: RelayServerSessionID) {
        perform(node.receive(session, bytes, now: SystemEnvironment.now()))
    }

    func run(_ session: RelayServerSessionID, _ event: RelayEvent) {
        perform(node.run(session, event, now: SystemEnvironment.now()))
    }

    func closed(_ link: RelayLink, _ session: RelayServerSessionID) {
        if !link.isOver { run(session, .lost) }
        links[session] = nil
        let count = linkCounts[link.network, default: 0] - 1
        linkCounts[link.network] = count > 0 ? count : nil
        if isDraining, links.isEmpty { loop.stop() }
    }

    // MARK: What the relay asks for

    private func perform(_ outputs: [RelayEngine.Output]) {
        var touched: Set<RelayServerSessionID> = []
        for (session, effect) in outputs {
            if case .log(let event) = effect {
                log(event.line(session: session?.number))
                continue
            }
            guard let session, let link = links[session] else { continue }
            switch effect {
            case .send(let bytes):
                link.link.send(bytes)
                touched.insert(session)
            case .wake(let time): link.wake(at: time)
            case .close: link.close()
            case .log: break
            }
        }
        let most = node.options.limits.sendQueueByteCountMax
        for session in touched.sorted() { links[session]?.tellIfFull(byteCountMax: most) }
        planCommit()
    }

    private func planCommit() {
        guard node.hasWaiting, !isCommitPlanned else { return }
        isCommitPlanned = true
        loop.atTurnEnd(self)
    }
}

extension RelayServer: TurnEndObserver {
    /// Commits the changes of this turn to the disk.
    package func turnEnded() {
        isCommitPlanned = false
        let start = MonotonicTime.now
        let outputs = node.commit(now: SystemEnvironment.now())
        commits.add(microseconds: Int((MonotonicTime.now - start) / .microseconds(1)))
        perform(outputs)
    }
}

/// A relay server's network settings, besides the relay's own options.
package struct RelayServerOptions {
    /// Where it listens.
    package var hostAndPort: HostAndPort
    /// The relay's own key; nil serves in plain.
    package var certificate: DeviceCertificate?
    /// Whether other machines may reach it in plain.
    package var allowInsecure = false
    /// The address of its metrics, on this machine only; nil for none.
    package var metricsAddress: HostAndPort?
    /// The most connections from one network: an IPv4 address, or a /64 of IPv6.
    package var networkLinkCountMax = 256
    /// How long devices may take to leave when the relay is to end.
    package var drainMax = Duration.seconds(10)
    /// The relay's folder, token and limits.
    package var relay: RelayOptions

    /// The usual ones.
    package init(hostAndPort: HostAndPort, certificate: DeviceCertificate?, relay: RelayOptions) {
        self.hostAndPort = hostAndPort
        self.certificate = certificate
        self.relay = relay
    }
}
