import Core
import Crypto
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
    /// - Parameter refusal: asked when a device greets, and again when a record of a device has changed.
    package init(
        store: Store, on loop: EventLoop, limits: SessionLimits = SessionLimits(),
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
        foldedSequence = store.sequence
        // Without that commits fold the log themselves, and are slower now and then.
        try? store.postponeFolding()
        watch = try StoreWatch(folder: store.paths.folder, on: loop) { [unowned self] in
            noticeChanges()
        }
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
        overRelay link: Link, as membership: RelaySpaceMember, isLive: Bool,
        guess: ReplicaID? = nil,
        listener: Listener
    ) throws(SealFault) {
        let account = try membership.account(link.relayBinding)
        let (id, outputs) = replica.openRelay(
            account, seal: membership.seal, rekeyMailbox: membership.rekeyMailbox, isLive: isLive,
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
    }

    func drained(_ id: ConversationID) {
        run(replica.run(id, .sendQueue(byteCount: 0), now: SystemEnvironment.now()))
    }

    /// The link broke: the session says how it sees that.
    func lost(_ id: ConversationID) {
        run(replica.run(id, .lost, now: SystemEnvironment.now()))
    }

    func forget(_ id: ConversationID) {
        peers[id] = nil
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
    }

    /// The other devices hear whether deletes wait here.
    private func tellHeldDeletes() {
        // A note that cannot be written now is written when the next session ends.
        if (try? replica.store.tellHeldDeletes()) == true { noticeChanges() }
    }

    func woken(_ id: ConversationID) {
        run(replica.run(id, .wake, now: SystemEnvironment.now()))
    }
}
