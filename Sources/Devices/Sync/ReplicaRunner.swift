import CLinux
import Core
import Crypto
import Glibc
import Replica
import Session
import Storage
import Transport

/// A replica in the real world: its conversations over links, timers, and the commits of other processes.
package final class ReplicaRunner {
    /// The callbacks of a conversation.
    package struct Listener {
        /// The address that was dialed, as a person writes it; nil if the other side came.
        package var address: String?
        /// How far it has come.
        package var report: (SessionReport) -> Void
        /// Reports a fault of this side's own store; the conversation ends then.
        package var fault: (StoreFault) -> Void
        /// Reports the end of the conversation, with the link's error if it broke.
        package var ended: (SessionEnd, TransportError?) -> Void

        /// Makes the callbacks.
        package init(
            address: String? = nil, report: @escaping (SessionReport) -> Void = { _ in },
            fault: @escaping (StoreFault) -> Void = { _ in },
            ended: @escaping (SessionEnd, TransportError?) -> Void
        ) {
            self.address = address
            self.report = report
            self.fault = fault
            self.ended = ended
        }
    }

    /// Why a device is refused, by who it says it is and the key that it has shown; nil if it is not.
    package typealias Refusal = (_ stated: ReplicaID, _ shown: Fingerprint?) -> PeerError?

    /// The replica.
    package let replica: Replica
    /// Where it runs.
    package let loop: EventLoop
    private var peers: [ConversationID: LinkPeer] = [:]
    private var watch: StoreWatch?
    private let limits: SessionLimits
    private let heldByteCountMax: Int
    /// When something last happened, and up to which arrival number the store's log was folded.
    private var lastActivity = MonotonicTime.now
    private var foldedSequence: UInt64
    private var foldTimer: TimerID?
    /// The progress of the conversations, kept for the status.
    private var sessionLog = SessionLog()
    /// The log is folded once so many changes came and nothing happened for so long.
    private static let folding = (changeCount: UInt64(200), quiet: Duration.milliseconds(100))

    /// Runs the replica of a store on a loop.
    ///
    /// - Parameters:
    ///   - heldByteCountMax: the most memory of all conversations together, in bytes.
    ///   - isWatching: whether commits of other processes are noticed; without it `noticeChanges` has to be called for
    ///     them. Linux lets a user watch 128 stores at once unless told otherwise (inotify(7), max_user_instances).
    ///   - refusal: asked when a device greets, and again when a record of a device has changed.
    package init(
        store: Store, on loop: EventLoop, limits: SessionLimits = SessionLimits(),
        heldByteCountMax: Int = MemoryBudget.byteCountMax, isWatching: Bool = true,
        refusal: @escaping Refusal = { _, _ in nil }
    )
        throws(TransportError)
    {
        replica = Replica(store: store)
        replica.refusal = { stated, key in
            refusal(stated, key.flatMap { Fingerprint(bytes: $0) })
        }
        self.loop = loop
        self.limits = limits
        self.heldByteCountMax = heldByteCountMax
        foldedSequence = store.sequence
        // Without that commits fold the log themselves, and are slower now and then.
        try? store.postponeFolding()
        guard isWatching else { return }
        watch = try StoreWatch(folder: store.paths.folder, on: loop) { [unowned self] in
            noticeChanges()
        }
    }

    /// Called after records have changed, by a merge here or by another process.
    var recordsChanged: () -> Void = {}
    private lazy var toldSequence = replica.store.sequence

    private func tellChanges() {
        guard replica.store.sequence != toldSequence else { return }
        toldSequence = replica.store.sequence
        recordsChanged()
    }

    /// How many conversations are going on.
    package var conversationCount: Int { replica.conversationCount }

    /// Begins a conversation over a link.
    ///
    /// - Parameter guess: who is believed to be at the other end.
    package func converse(
        over link: Link, as role: SessionRole, isLive: Bool, guess: ReplicaID? = nil,
        listener: Listener
    ) {
        let (id, outputs) = replica.open(
            role, isLive: isLive, guess: guess, shownKey: link.peerFingerprint?.bytes,
            limits: limits, hasChecksum: !link.isSecured, now: SystemEnvironment.now())
        let peer = LinkPeer(link: link, conversation: id, runner: self, listener: listener)
        peers[id] = peer
        link.start(peer)
        run(outputs)
    }

    /// Begins a conversation with a relay over a link.
    ///
    /// - Parameter guess: the id of the relay's store as it was last time.
    package func converse(
        overRelay link: Link, as member: RelaySpaceMember, isLive: Bool,
        guess: ReplicaID? = nil,
        listener: Listener
    ) throws(SealFault) {
        let account = try member.account(link.relayBinding)
        let (id, outputs) = replica.openRelay(
            account, seal: member.seal, rekeyMailbox: member.rekeyMailbox, isLive: isLive,
            guess: guess, limits: limits, hasChecksum: !link.isSecured, now: SystemEnvironment.now()
        )
        let peer = LinkPeer(link: link, conversation: id, runner: self, listener: listener)
        peers[id] = peer
        link.start(peer)
        run(outputs)
    }

    /// Lets every conversation end in order.
    package func drain() {
        run(replica.runAll(.drain, now: SystemEnvironment.now()))
    }

    /// Edits were made in this process, or may have been in another.
    package func noticeChanges() {
        run(replica.noticeChanges(now: SystemEnvironment.now()))
        boundMemory()
    }

    /// Stops watching the store; conversations must be over.
    package func stop() {
        watch?.stop()
        watch = nil
        if let foldTimer { loop.cancel(foldTimer) }
        foldTimer = nil
    }

    // MARK: The store's log

    private func planFolding() {
        guard replica.store.sequence >= foldedSequence + Self.folding.changeCount else { return }
        lastActivity = MonotonicTime.now
        if foldTimer == nil { awaitQuiet(for: Self.folding.quiet) }
    }

    private func awaitQuiet(for time: Duration) {
        foldTimer = loop.schedule(after: time) { [unowned self] in
            foldTimer = nil
            let end = lastActivity + Self.folding.quiet
            guard MonotonicTime.now >= end else { return awaitQuiet(for: Self.folding.quiet) }
            foldedSequence = replica.store.sequence
            // A log that cannot be folded now is folded later, or by the last to close the store.
            try? replica.store.foldLog()
        }
    }

    // MARK: From the links

    func received(_ bytes: UnsafeRawBufferPointer, for id: ConversationID) {
        run(replica.receive(id, bytes, now: SystemEnvironment.now()))
        boundMemory()
    }

    func drained(_ id: ConversationID) {
        run(replica.run(id, .sendQueue(byteCount: 0), now: SystemEnvironment.now()))
        boundMemory()
    }

    /// The link broke: the session says how it sees that.
    func lost(_ id: ConversationID) {
        run(replica.run(id, .lost, now: SystemEnvironment.now()))
    }

    func forget(_ id: ConversationID) {
        peers[id] = nil
    }

    // MARK: Memory

    /// Ends conversations while all together hold more memory than they may: first whoever holds most.
    private func boundMemory() {
        // One ends in each round. The sum alone is cheap, and nearly always within the bound.
        for _ in 0..<peers.count {
            let sum = peers.values.reduce(0) {
                $0 + replica.heldByteCount(of: $1.conversation) + $1.link.pendingByteCount
            }
            guard sum > heldByteCountMax else { return }
            let shares = peers.values.map { peer in
                MemoryBudget.Share(
                    conversation: peer.conversation, address: peer.link.network,
                    receivedByteCount: replica.heldByteCount(of: peer.conversation),
                    unsentByteCount: peer.link.pendingByteCount)
            }
            guard let most = MemoryBudget.most(of: shares, over: heldByteCountMax),
                let peer = peers[most.conversation]
            else { return }
            let wasOver = peer.isOver
            let error = MemoryBudget.refusal(own: most.byteCount, max: heldByteCountMax)
            run(replica.run(most.conversation, .refused(error), now: SystemEnvironment.now()))
            // A peer that takes nothing would not take the error either.
            if wasOver || peer.link.pendingByteCount > MemoryBudget.farewellByteCountMax {
                peer.link.close()
            }
        }
    }

    // MARK: To the links

    private func run(_ outputs: [Replica.Output]) {
        var touched: [ConversationID] = []
        var isNewsForOthers = false
        for (id, effect) in outputs {
            guard let peer = peers[id] else { continue }
            switch effect {
            case .send(let bytes):
                peer.link.send(bytes)
                if touched.last != id { touched.append(id) }
            case .wake(let time): peer.wake(at: time)
            case .report(let report):
                let address = peer.listener.address
                if sessionLog.record(report, of: id, at: address, in: replica.store) {
                    isNewsForOthers = true
                }
                peer.listener.report(report)
            case .fault(let fault): peer.listener.fault(fault)
            case .close(let end):
                sessionLog.end(end, of: id, at: peer.listener.address, in: replica.store)
                isNewsForOthers = true
                peer.close(end)
            }
        }
        for id in touched {
            guard let peer = peers[id], peer.link.pendingByteCount > limits.sendQueueByteCountMax
            else { continue }
            let count = peer.link.pendingByteCount
            run(replica.run(id, .sendQueue(byteCount: count), now: SystemEnvironment.now()))
        }
        planFolding()
        if isNewsForOthers { tellHeldDeletes() }
        bringBackRefused()
        tellChanges()
    }

    /// Records come back that refused deletes have just taken away.
    private func bringBackRefused() {
        // What cannot be written now is written at the next step, or when the store is opened next.
        if (try? replica.store.bringBackRefused()) == true { noticeChanges() }
    }

    /// The other devices hear whether deletes wait here.
    private func tellHeldDeletes() {
        // A note that cannot be written now is written when the next session ends.
        try? DeleteHold.endUnreachable(in: replica.store)
        if (try? replica.store.tellHeldDeletes()) == true { noticeChanges() }
    }

    func woken(_ id: ConversationID) {
        run(replica.run(id, .wake, now: SystemEnvironment.now()))
    }
}

/// One conversation's link, timer and listener.
final class LinkPeer: LinkDelegate {
    let link: Link
    let listener: ReplicaRunner.Listener
    let conversation: ConversationID
    private unowned let runner: ReplicaRunner
    private var timer: TimerID?
    private var end: SessionEnd?

    init(
        link: Link, conversation: ConversationID, runner: ReplicaRunner,
        listener: ReplicaRunner.Listener
    ) {
        self.link = link
        self.conversation = conversation
        self.runner = runner
        self.listener = listener
    }

    /// Whether the conversation is over, and the link sends what is left.
    var isOver: Bool { end != nil }

    func wake(at time: Instant) {
        if let timer { runner.loop.cancel(timer) }
        let delay = max(time.milliseconds - SystemEnvironment.now().milliseconds, 0)
        timer = runner.loop.schedule(after: .milliseconds(delay)) { [unowned self] in
            timer = nil
            runner.woken(conversation)
        }
    }

    /// The conversation is over: what was sent still leaves.
    func close(_ end: SessionEnd) {
        self.end = end
        if let timer { runner.loop.cancel(timer) }
        timer = nil
        link.closeAfterSending()
    }

    func linkReceived(_ link: Link, _ bytes: UnsafeRawBufferPointer) {
        runner.received(bytes, for: conversation)
    }

    func linkDrained(_ link: Link) {
        runner.drained(conversation)
    }

    func linkClosed(_ link: Link, _ reason: Link.Ending) {
        // The runner lets go of this object while it tells the session.
        let (listener, wasOver) = (listener, isOver)
        if let timer { runner.loop.cancel(timer) }
        timer = nil
        if !wasOver { runner.lost(conversation) }
        var error: TransportError?
        if case .failed(let found) = reason { error = found }
        let end = end ?? .lost
        runner.forget(conversation)
        listener.ended(end, end == .finished ? nil : error)
    }
}

/// Records the progress of conversations on this device, for a later status.
///
/// If the disk is full, progress is not recorded and the status omits it; the conversations go on.
struct SessionLog {
    private var holding: Set<ConversationID> = []
    private var complete: [ConversationID: ReplicaID] = [:]
    /// How far into this store's sequence the other side has everything.
    private var stored: [ConversationID: (peer: ReplicaID, sequence: UInt64)] = [:]

    /// Takes note of how far one has come.
    ///
    /// - Parameter address: the one that was dialed; nil if the other side came.
    /// - Returns: whether what is told of held deletes may have to be told anew: some are, or are no more.
    mutating func record(
        _ report: SessionReport, of id: ConversationID, at address: String?, in store: Store
    ) -> Bool {
        var isFirst = false
        if report.isCaughtUp, let peer = report.peer, complete[id] == nil {
            // An earlier session may have held what this one took, or found taken back.
            isFirst = true
            complete[id] = peer
            try? RefusalNote.drop(letInAt: address, in: store)
            try? FirstExchangeNote.end(in: store)
        }
        if let peer = report.peer, let through = report.storedThrough {
            stored[id] = (peer, through.sequence)
        }
        let wasHeld = !holding.isEmpty
        if report.held != nil { holding.insert(id) } else { holding.remove(id) }
        // The received changes may include a copy's writes to this device's own record.
        return isFirst || wasHeld || !holding.isEmpty
    }

    /// Takes note that one is over.
    mutating func end(
        _ end: SessionEnd, of id: ConversationID, at address: String?, in store: Store
    ) {
        holding.remove(id)
        if let found = stored.removeValue(forKey: id) {
            try? store.noteSent(through: found.sequence, to: found.peer)
        }
        if let peer = complete.removeValue(forKey: id) { try? store.noteContact(with: peer) }
        try? RefusalNote.keep(end, at: address, in: store)
    }
}

/// Tells when another process may have committed to a store.
///
/// The kernel tells of writes to the log; the commit shows to readers a moment later, so `notice` is
/// called at once and again shortly after. Source: inotify(7).
package final class StoreWatch {
    private let loop: EventLoop
    private let descriptor: CInt
    private var registration: EventLoop.Registration?
    private let notice: () -> Void
    private var isAwaitingRetry = false

    /// Watches a store's folder.
    ///
    /// - Parameter notice: called on the loop's thread when something may be new.
    package init(
        folder: String, on loop: EventLoop, notice: @escaping () -> Void
    ) throws(TransportError) {
        self.loop = loop
        self.notice = notice
        descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0,
            inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_CREATE | IN_DELETE)) >= 0
        else { throw .failedCall(.open, errno: errno, about: "the watch on \(folder)") }
        registration = try loop.add(descriptor, .readable) { [unowned self] _ in changed() }
    }

    deinit {
        close(descriptor)
    }

    /// Stops watching.
    package func stop() {
        if let registration { loop.remove(registration) }
        registration = nil
    }

    private func changed() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
        notice()
        if isAwaitingRetry { return }
        isAwaitingRetry = true
        loop.schedule(after: .milliseconds(2)) { [weak self] in
            guard let self else { return }
            isAwaitingRetry = false
            notice()
        }
    }
}
