import Core
import Glibc
import Replica
import Session
import Storage
import Transport

/// Keeps a store in sync for as long as it runs: with relays and devices at once, and with whoever calls.
package final class Daemon {
    /// Every contact that is not connected is tried again so often, and the store is looked at.
    ///
    /// Up to a tenth is added by chance, so that devices that were started together do not all come at once.
    package static let netPeriod = Duration.seconds(20 * 60)

    /// The first and the longest wait, in seconds, after a failure that needs a user.
    ///
    /// The first is short, as this device may have the space's next secret already.
    package static let failureSeconds = (first: 2, max: 60)

    /// After so long a wait a relay that refuses this device is asked for a way to be let in: soon enough, and seldom
    /// enough for what relays count of proofs that fail; seconds.
    package static let repairSeconds = 8

    /// How long after a change of the devices' records it is looked whether the space has another secret.
    package static let followingDelay = Duration.milliseconds(200)

    let store: Store
    /// Where it runs.
    package let loop: EventLoop
    private let runner: ReplicaRunner
    private var reconnectors: [Reconnector] = []
    /// Reconnectors whose contact is known no more, and which may still have a session.
    private var leaving: [Reconnector] = []
    private let addressesNow: () -> [String]?
    private let renewed: (String) -> Contact?
    private let security: SyncSecurity?
    private let plain: PlainTCP
    private let server: SyncServer
    private let repairAccess: (RelayAddress) -> Void
    private let netPeriod: Duration
    private var control: ControlSocket?
    private var netTimer: TimerID?
    private var pauseTimer: TimerID?
    /// When a pause ends, by the wall clock; milliseconds since 1970-01-01 UTC.
    private var pausedUntil: Int64?
    private let startedAt = SystemEnvironment.wallMilliseconds()
    private(set) var isStopping = false
    /// Serves its metrics; nil if nothing does.
    var monitor: MonitorPort?
    /// Serves the local page; nil if nothing does.
    var pagePort: PagePort?
    /// The page that cannot be served, for the status.
    package var missingPage: DaemonStatus.Page?
    /// Serves calendars; nil if nothing does.
    var gatewayPort: PagePort?
    /// The gateway for calendars that cannot be served, for the status.
    package var missingGateway: DaemonStatus.Page?
    private var isFollowingPlanned = false
    /// The day on which old trash was last looked for; days since 1970-01-01 UTC.
    private var purgedDay: Int64?
    /// How long to wait after the next failure of a contact; seconds, by its address.
    private var failureWaits: [String: Int] = [:]

    /// Called soon after records have changed, here or in another process, and at the start.
    package var recordsChanged: () -> Void = {}
    /// How long changes of records are gathered before `recordsChanged`.
    private static let changeDelay = Duration.milliseconds(100)
    private var isChangePlanned = false

    /// Called when something of `status` has changed.
    package var changed: () -> Void = {}
    /// The door to its loop for other threads.
    package var mailbox: LoopMailbox { loop.mailbox }

    /// Prepares to keep a store in sync.
    ///
    /// - Parameters:
    ///   - contacts: whom to call.
    ///   - addressesNow: the addresses of whom to call by now; asked whenever something may have changed. Nil if that is not
    ///     known, or is as at the start.
    ///   - renewed: a contact as it is now, by its address; asked before each connection.
    ///   - repairAccess: does what it can to be let in by a relay that has refused this device again and again.
    ///   - security: who this device is and whom it trusts. Without it at most plain TCP.
    ///   - plain: where plain TCP is allowed.
    ///   - refusal: why a device is refused, also over a link that asks for no key.
    ///   - log: what to tell of calls.
    ///   - netPeriod: how often everything is tried again.
    package init(
        store: Store, contacts: [Contact], addressesNow: @escaping () -> [String]? = { nil },
        renewed: @escaping (String) -> Contact? = { _ in nil },
        repairAccess: @escaping (RelayAddress) -> Void = { _ in }, security: SyncSecurity?,
        plain: PlainTCP = .nowhere, refusal: @escaping ReplicaRunner.Refusal = { _, _ in nil },
        log: SyncServer.Log,
        netPeriod: Duration = Daemon.netPeriod
    ) throws(TransportError) {
        self.store = store
        self.security = security
        self.plain = plain
        self.repairAccess = repairAccess
        self.netPeriod = netPeriod
        self.addressesNow = addressesNow
        self.renewed = renewed
        loop = try EventLoop()
        let runner = try ReplicaRunner(store: store, on: loop, refusal: refusal)
        self.runner = runner
        server = SyncServer(runner: runner, log: log)
        reconnectors = contacts.map(reconnector)
    }

    /// Runs until `stop`, or a signal, asks to stop; sessions then end in order, a second time ends them
    /// at once.
    ///
    /// - Parameters:
    ///   - listening: where calls are answered, if they are.
    ///   - handlesSignals: whether signals that end a process mean to stop.
    ///   - started: called once nothing can keep it from running any more.
    /// - Throws: why it cannot listen, or that another daemon runs for this store.
    package func run(
        listening: Endpoint? = nil, handlesSignals: Bool = true, started: () -> Void = {}
    ) throws(TransportError) {
        if handlesSignals {
            try loop.watchSignals([SIGTERM, SIGINT]) { [unowned self] _ in stop() }
        }
        defer { end() }
        try begin(listening: listening)
        started()
        try loop.run()
    }

    /// Syncs from the time on that the loop runs; `end` follows when it runs no more.
    package func begin(listening: Endpoint? = nil) throws(TransportError) {
        control = try ControlSocket(folder: store.paths.folder, on: loop) { [unowned self] in
            answer($0).bytes
        }
        if let listening {
            guard !listening.servesOne else {
                throw .invalidAddress(
                    text: listening.description,
                    problem: "a daemon listens where many devices can call")
            }
            try server.begin(at: listening, security: security, plain: plain)
        }
        for reconnector in reconnectors { begin(reconnector) }
        runner.replica.devicesChanged = { [unowned self] in planFollowing() }
        runner.recordsChanged = { [unowned self] in planChange() }
        planChange()
        purgeOldTrash()
        planNet()
    }

    private func reconnector(_ contact: Contact) -> Reconnector {
        Reconnector(contact, of: runner, isLive: true, security: security, plain: plain)
    }

    private func begin(_ reconnector: Reconnector) {
        let address = reconnector.contact.address
        reconnector.renewed = { [renewed] in renewed(address) }
        reconnector.changed = { [unowned self, unowned reconnector] in
            if reconnector.report.isCaughtUp { failureWaits[reconnector.contact.address] = nil }
            changed()
        }
        reconnector.ended = { [unowned self, unowned reconnector] result in
            failed(reconnector, result)
        }
        reconnector.retry()
    }

    /// Calls also whom pairing has made known since the start, and calls no more who was forgotten.
    private func followContacts() {
        guard let addresses = addressesNow() else { return }
        let known = reconnectors.map(\.contact.address)
        if Set(addresses) == Set(known) { return }
        let gone = reconnectors.filter { !addresses.contains($0.contact.address) }
        for reconnector in gone { reconnector.stop() }
        leaving = leaving.filter(\.isActive) + gone
        // Nothing more leaves for whoever was forgotten; the others are called again after a second.
        if gone.contains(where: \.isActive) { runner.drain() }
        let new = addresses.filter { !known.contains($0) }.compactMap(renewed).map(reconnector)
        reconnectors = reconnectors.filter { addresses.contains($0.contact.address) } + new
        for reconnector in new { begin(reconnector) }
        changed()
    }

    /// Answers commands no more, and stops watching the store; sessions must be over.
    package func end() {
        runner.replica.devicesChanged = {}
        runner.recordsChanged = {}
        runner.stop()
        loop.closeLinks()
        monitor?.close()
        monitor = nil
        pagePort?.close()
        pagePort = nil
        gatewayPort?.close()
        gatewayPort = nil
        control?.close()
        control = nil
    }

    // MARK: Time

    /// A period and up to a tenth of it, as 64 bits of chance decide.
    package static func netDelay(after period: Duration, chance: UInt64) -> Duration {
        period + period * Double(chance >> 11) / Double(1 << 53) / 10
    }

    private func planNet() {
        let delay = Self.netDelay(after: netPeriod, chance: SystemEnvironment.random())
        netTimer = loop.schedule(after: delay) { [unowned self] in
            purgeOldTrash()
            tryAll()
            planNet()
        }
    }

    private func planChange() {
        if isChangePlanned { return }
        isChangePlanned = true
        loop.schedule(after: Self.changeDelay) { [unowned self] in
            isChangePlanned = false
            if !isStopping { recordsChanged() }
        }
    }

    /// Leaves relays that know this device by an older secret of the space, and comes back with the present one:
    /// relays refuse older ones from then on.
    ///
    /// Soon, and not at once: the record that says so is on its way to the others.
    private func planFollowing() {
        if isFollowingPlanned { return }
        isFollowingPlanned = true
        loop.schedule(after: Self.followingDelay) { [unowned self] in
            isFollowingPlanned = false
            if isStopping || pausedUntil != nil { return }
            followContacts()
            let followers = reconnectors.filter { $0.followSecret() }
            // Whoever was refused for the one before has no need to wait.
            let outdated = followers.filter(\.isActive)
            for reconnector in followers where !reconnector.isActive { reconnector.retry() }
            if !outdated.isEmpty { runner.drain() }
        }
    }

    /// Notes that the program runs today, once a day, and purges what has long been in the trash.
    private func purgeOldTrash() {
        let today = SystemEnvironment.wallMilliseconds() / 86_400_000
        guard today != purgedDay else { return }
        // A failure, on a full disk or in a busy store, is tried again the next time.
        guard (try? store.purgeOldTrash()) != nil else { return }
        purgedDay = today
    }

    private func failed(_ reconnector: Reconnector, _ result: Result<SessionEnd, TransportError>) {
        if isStopping || pausedUntil != nil { return }
        let address = reconnector.contact.address
        let wait = failureWaits[address] ?? Self.failureSeconds.first
        failureWaits[address] = min(wait * 2, Self.failureSeconds.max)
        loop.schedule(after: .seconds(wait)) { [unowned self, weak reconnector] in
            guard !isStopping, pausedUntil == nil, let reconnector,
                reconnectors.contains(where: { $0 === reconnector })
            else { return }
            if wait >= Self.repairSeconds, case .success(let end) = result,
                SpaceMember.isRefusedForSecret(end),
                case .relay(let relay, _) = reconnector.contact
            {
                repairAccess(relay)
            }
            reconnector.retry()
        }
    }

    /// Tries every contact that is not connected, and looks at the store; on the loop's thread.
    package func tryAll() {
        if isStopping || pausedUntil != nil { return }
        runner.noticeChanges()
        followContacts()
        for reconnector in reconnectors { reconnector.retry() }
    }

    private func pause(seconds: Int) {
        if let pauseTimer { loop.cancel(pauseTimer) }
        pausedUntil = SystemEnvironment.wallMilliseconds() + Int64(seconds) * 1000
        for reconnector in reconnectors { reconnector.stop() }
        runner.drain()
        pauseTimer = loop.schedule(after: .seconds(seconds)) { [unowned self] in resume() }
    }

    private func resume() {
        if let pauseTimer { loop.cancel(pauseTimer) }
        pauseTimer = nil
        pausedUntil = nil
        tryAll()
    }

    /// Ends all sessions in order, then the run; a second time at once.
    ///
    /// On the loop's thread.
    package func stop() {
        if isStopping { return loop.stop() }
        isStopping = true
        if let netTimer { loop.cancel(netTimer) }
        for reconnector in reconnectors { reconnector.stop() }
        server.refuseCalls()
        runner.drain()
        awaitEnds()
    }

    /// Stops the loop once all conversations are over; each ends in bounded time.
    private func awaitEnds() {
        if runner.conversationCount == 0 { return loop.stop() }
        loop.schedule(after: .milliseconds(20)) { [unowned self] in awaitEnds() }
    }

    // MARK: Status

    /// How things stand.
    package var status: DaemonStatus {
        DaemonStatus(
            started: startedAt, process: getpid(), pausedUntil: pausedUntil,
            sequence: store.sequence, callCount: server.openSessionCount,
            contacts: reconnectors.map(describe), page: pagePort?.status ?? missingPage,
            gateway: gatewayPort?.status ?? missingGateway)
    }

    private func describe(_ reconnector: Reconnector) -> DaemonStatus.Contact {
        let report = reconnector.report
        let stored = report.storedThrough?.sequence
        return DaemonStatus.Contact(
            address: reconnector.contact.address, isRelay: reconnector.contact.isRelay,
            state: reconnector.state,
            isCaughtUp: report.isCaughtUp, isWithheld: report.isWithheld,
            sentCount: report.sentAppRecordCount, receivedCount: report.receivedAppRecordCount,
            unreadableCount: report.unreadableCount, lastComplete: reconnector.lastComplete,
            storedThrough: reconnector.contact.isRelay ? stored ?? 0 : stored, replica: report.peer)
    }

    // MARK: Requests

    /// The longest pause; seconds.
    package static let pauseSecondsMax = 7 * 24 * 3600

    /// Returns the daemon's answer to a request.
    private func answer(_ line: String) -> ControlAnswer {
        switch ControlRequest(line: line) {
        case .status: return .status(status)
        case .notify:
            runner.noticeChanges()
            if !isStopping, pausedUntil == nil { followContacts() }
        case .syncNow:
            if pausedUntil != nil { return .refused(.paused) }
            tryAll()
        case .pause(let seconds):
            guard (1...Self.pauseSecondsMax).contains(seconds) else {
                return .refused(.pauseTooLong)
            }
            pause(seconds: seconds)
        case .resume: resume()
        case .sightings(let name): return sightings(of: name)
        case nil: return .refused(.unknownRequest)
        }
        return .done
    }

    /// Which devices have stated, through relays, that they have a record as it is here.
    private func sightings(of name: RecordName) -> ControlAnswer {
        guard let stored = try? store.record(name) else { return .refused(.noSuchRecord) }
        var devices: [ReplicaID: Bool] = [:]
        for reconnector in reconnectors {
            for (replica, sequence) in reconnector.report.seenBy {
                devices[replica] = devices[replica] == true || sequence >= stored.sequence
            }
        }
        let isStored = reconnectors.contains {
            $0.contact.isRelay && ($0.report.storedThrough?.sequence ?? 0) >= stored.sequence
        }
        return .sightings(
            RecordSightings(
                isStored: isStored,
                devices: devices.keys.sorted().map {
                    RecordSightings.Sighting(replica: $0, hasIt: devices[$0] == true)
                }))
    }
}
