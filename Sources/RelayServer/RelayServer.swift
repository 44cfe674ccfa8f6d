import Core
import Crypto
import Glibc
import Relay
import Session
import Storage
import Transport

/// A relay in the real world: its conversations over links; commits begin at the end of each turn of the loop.
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
    var listener: Listener?
    private var monitor: MonitorPort?
    private(set) var links: [RelayServerSessionID: RelayLink] = [:]
    private var linkCounts: [String: Int] = [:]
    /// Conversations of devices that have not been let into a space yet.
    private var unproved: UnprovedPeers<RelayServerSessionID>
    private var proved = ProvedNetworks()
    private var isTurnEndPlanned = false
    /// Wakes subscribers for what other processes have brought; nil where none serves the store.
    private var watch: RelayNoticeWatch?
    /// Shares counts and mailboxes with other processes; nil where none serves the store.
    var sharing: RelayShareRunner?
    /// Whether the database that processes share gave no answer last.
    var isDatabaseAway = false
    /// By how many days the database's clock is ahead of this process's.
    var sharedDayLead: Int64 = 0
    /// The operator's list of devices that are out, as it was read last.
    private var putOutList: RelayPutOutList
    /// The devices of that list.
    private var listedPutOut: Set<RelayPutOut> = []
    /// The devices that are out for all processes on the store.
    var sharedPutOut: Set<RelayPutOut> = [] {
        didSet { putOut() }
    }
    var isDraining = false
    private(set) var stages: [RelayStage: DurationCounts] = [:]
    /// Spaces that were deleted, as no device had visited them for long.
    private(set) var expiredCount = 0
    private(set) var refusedLinkCount = 0
    let startedAt = SystemEnvironment.wallMilliseconds()

    /// The shares of this process's descriptors.
    private var shares: DescriptorShares
    /// The line of the log about its settings that follows the one about its address; nil for none.
    let startNotice: LogLine?

    /// Opens the relay's folder.
    ///
    /// - Parameters:
    ///   - shared: a store that other processes serve as well; nil for that of files in the folder.
    ///   - log: receives events.
    package init(
        _ options: RelayServerOptions, shared: SharedRelayStore? = nil,
        log: @escaping (LogLine) -> Void
    ) throws {
        self.log = log
        var options = options
        (shares, startNotice) = Self.bound(&options.relay)
        self.options = options
        unproved = UnprovedPeers(
            countMax: shares.handshakes,
            networkCountMax: min(options.networkUnprovedCountMax, shares.handshakes))
        putOutList = RelayPutOutList(in: options.relay.folder)
        listedPutOut = try putOutList.read()
        self.options.relay.putOut = listedPutOut
        options.relay.putOut = listedPutOut
        loop = try EventLoop()
        node = try Self.engine(options.relay, shared?.store)
        node.onAnswer = { [unowned self] in planTurnEnd() }
        shared?.store.attach(to: StoreEventLoop(loop))
        if let notices = shared?.notices {
            node.isTouchKept = true
            watch = RelayNoticeWatch(
                notices, on: loop, spaces: { [unowned self] in node.openSpaces },
                wake: { [unowned self] in
                    let start = Self.microseconds()
                    perform(node.storeChanged(in: $0, now: SystemEnvironment.now()))
                    count(.notice, Int(Self.microseconds() - start))
                })
        }
        node.stages = RelayStageClock(
            now: Self.microseconds, count: { [unowned self] in count($0, $1) })
        if let shared, let sharing = shared.sharing { share(sharing, shared.notices) }
    }

    private static func microseconds() -> Int64 { Int64(MonotonicTime.now.nanoseconds / 1000) }

    private func count(_ stage: RelayStage, _ microseconds: Int) {
        stages[stage, default: DurationCounts()].add(microseconds: microseconds)
    }

    private static func engine(
        _ options: RelayOptions, _ store: (any RelayStore)?
    ) throws -> RelayEngine {
        if let store {
            store.limits = options.limits
            return RelayEngine(options: options, access: SealedRelayAccess(), store: store)
        }
        return try RelayEngine(
            options: options, access: SealedRelayAccess(),
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
        linkOptions.networkHandshakeCountMax = options.networkUnprovedCountMax
        let listener = try Listener(
            on: loop, at: options.hostAndPort, security: context,
            plain: options.allowInsecure ? .anywhere : .thisMachine,
            options: linkOptions
        ) { [unowned self] link in answer(link) }
        listener.onRefusal = { [unowned self] name, error in
            refusedLinkCount += 1
            log(
                LogLine(.debug, "handshake-failed", ["address": name, "message": error.summary]))
            endIfLeft()
        }
        listener.proxies = options.proxies
        listener.admits = { [unowned self] network in hasRoom(for: network) }
        self.listener = listener
        address = listener.address
        if let hostAndPort = options.metricsAddress {
            monitor = try MonitorPort(
                on: loop, at: hostAndPort, page: { [unowned self] in page($0) },
                log: { [unowned self] in log($0.line) })
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
        watchPutOutList()
        watchIdleSpaces()
        sharing?.start()
        try loop.run()
        let left = links.count
        perform(node.close(now: SystemEnvironment.now()))
        loop.closeLinks()
        links = [:]
        listener?.close()
        monitor?.close()
        watch?.close()
        sharing?.close()
        log(LogLine(.info, "stopped", ["cut": "\(left)"]))
    }

    /// Takes other limits, another token, from the next relay hello on; the folder stays.
    package func change(_ relay: RelayOptions, networkLinkCountMax: Int, drainMax: Duration) {
        options.networkLinkCountMax = networkLinkCountMax
        options.drainMax = drainMax
        var relay = relay
        let notice: LogLine?
        (shares, notice) = Self.bound(&relay)
        if let notice { log(notice) }
        node.change(relay)
    }

    /// Limits a relay to the available descriptors; what is to be said of that comes with the shares.
    private static func bound(_ relay: inout RelayOptions) -> (DescriptorShares, notice: LogLine?) {
        let limit = DescriptorLimit.raised()
        let shares = DescriptorShares(limit: limit, relay.limits)
        let isBound =
            shares.sessions < relay.limits.sessionCountMax
            || shares.spaces < relay.limits.openSpaceCountMax
        relay.limits.sessionCountMax = shares.sessions
        relay.limits.openSpaceCountMax = shares.spaces
        if !isBound { return (shares, nil) }
        let notice = LogLine(
            .info, "descriptors-few",
            [
                "limit": "\(limit)", "connections": "\(shares.sessions)",
                "spaces": "\(shares.spaces)",
                "message": "fewer than set; raise the limit (ulimit -n)",
            ])
        return (shares, notice)
    }

    // MARK: Devices that are out

    /// How often it is looked whether the operator has put a device out.
    private static let putOutPeriod = Duration.seconds(1)

    private func watchPutOutList() {
        loop.schedule(after: Self.putOutPeriod) { [weak self] in
            self?.readPutOutList()
            self?.watchPutOutList()
        }
    }

    /// Takes the list over if it has changed; one that cannot be read changes nothing.
    private func readPutOutList() {
        guard putOutList.hasChanged() else { return }
        do {
            let devices = try putOutList.read()
            listedPutOut = devices
            putOut()
        } catch {
            log(LogLine(.error, "put-out-unread", ["message": "\(error)"]))
        }
    }

    /// Ends what devices have here that are out, if they are others than before.
    private func putOut() {
        let devices = listedPutOut.union(sharedPutOut)
        guard devices != node.options.putOut else { return }
        log(LogLine(.warning, "put-out", ["devices": "\(devices.count)"]))
        perform(node.putOut(devices, now: SystemEnvironment.now()))
    }

    // MARK: Links

    /// Whether one more conversation from an address has room, or gets it from one that has proved nothing yet.
    private func hasRoom(for network: String) -> Bool {
        linkCounts[network, default: 0] < options.networkLinkCountMax
            || unproved.count(of: network) > 0
    }

    private func answer(_ link: Link) {
        let network = link.network
        let count = linkCounts[network, default: 0]
        let limit = node.options.limits.sessionCountMax
        let isCrowded = count >= options.networkLinkCountMax
        let isFull = links.count >= limit + shares.leaving
        if isCrowded || isFull || node.sessionCount >= limit {
            let surplus =
                isCrowded ? unproved.removeOne(from: network) : unproved.removeOne(isKnown: isKnown)
            if let surplus {
                dropCrowding(surplus)
            } else if isCrowded || isFull {
                refusedLinkCount += 1
                log(
                    LogLine(.warning, "crowded", ["address": link.name, "connections": "\(count)"]))
                return link.close()
            }
        }
        linkCounts[network] = count + 1
        let channel = RelayChannel(
            address: network, binding: link.relayBinding,
            visitor: link.peerFingerprint.map {
                RelayVisitor(
                    fingerprint: $0.bytes, day: today)
            }, hasChecksum: !link.isSecured)
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
        if isDraining { return run(session, .leave) }
        // A device that was refused stays among these until its link is closed.
        let surplus = unproved.add(session, from: network, isKnown: isKnown)
        if let surplus { dropCrowding(surplus) }
    }

    private func isKnown(_ network: String) -> Bool {
        proved.contains(network, now: SystemEnvironment.now().milliseconds)
    }

    /// Ends a conversation that has proved nothing, for one that may.
    private func dropCrowding(_ session: RelayServerSessionID) {
        guard let crowding = links[session] else { return }
        refusedLinkCount += 1
        log(
            LogLine(
                .debug, "crowded",
                ["session": "\(session.number)", "address": crowding.link.name]))
        run(session, .lost)
        crowding.link.close()
    }

    /// A device was let into a space.
    private func wasLetIn(_ session: RelayServerSessionID) {
        unproved.remove(session)
        guard let network = links[session]?.network else { return }
        proved.note(network, now: SystemEnvironment.now().milliseconds)
        listener?.peerProved(at: network)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from session: RelayServerSessionID) {
        perform(node.receive(session, bytes, now: SystemEnvironment.now()))
    }

    func run(_ session: RelayServerSessionID, _ event: RelayEvent) {
        perform(node.run(session, event, now: SystemEnvironment.now()))
    }

    func closed(_ link: RelayLink, _ session: RelayServerSessionID) {
        if !link.isOver { run(session, .lost) }
        unproved.remove(session)
        links[session] = nil
        let count = linkCounts[link.network, default: 0] - 1
        linkCounts[link.network] = count > 0 ? count : nil
        endIfLeft()
    }

    // MARK: What the relay asks for

    func perform(_ outputs: [RelayEngine.Output]) {
        var touched: Set<RelayServerSessionID> = []
        for (session, effect) in outputs {
            if case .log(let event) = effect {
                if case .welcomed = event, let session { wasLetIn(session) }
                if case .spaceExpired = event { expiredCount += 1 }
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
        watch?.tell(node.takeTouches())
        if node.hasShareWishes { sharing?.soon() }
        if node.hasWaiting { planTurnEnd() }
    }

    private func planTurnEnd() {
        if isTurnEndPlanned { return }
        isTurnEndPlanned = true
        loop.atTurnEnd(self)
    }
}

extension RelayServer: TurnEndObserver {
    /// Takes what the store has answered, and begins to commit the changes of this turn.
    package func turnEnded() {
        isTurnEndPlanned = false
        if node.hasAnswers { perform(node.takeAnswers(now: SystemEnvironment.now())) }
        if node.hasWaiting { perform(node.commit(now: SystemEnvironment.now())) }
    }
}
