import Core
import Session
import Storage

/// The engine of a relay: many conversations about many spaces.
///
/// Every door takes the time and gives the effects to run, in order. What devices upload waits for
/// `commit`, which the driver calls once it has passed on all that it has: one transaction for each space, then the
/// acknowledgements and what subscribers are pushed come out. What the store answers later waits for `takeAnswers`.
/// Source: Protocol/10-Relay.md.
package final class RelayEngine {
    /// An effect and the conversation it is for; nil for the relay's own log events.
    package typealias Output = (session: RelayServerSessionID?, effect: RelayEffect)

    /// The options that the relay's operator has set.
    package private(set) var options: RelayOptions
    let access: any RelayAccess
    let store: any RelayStore
    /// Counts since the start, without the store's own totals.
    var counts = RelayStatistics()

    var conversations: [RelayServerSessionID: RelayConversation] = [:]
    private var lastNumber = 0
    /// Spaces with conversations, or for which something waits.
    var spaces: [SpaceID: RelaySpace] = [:]
    /// Spaces of which readings are kept for others, oldest first.
    var sharing: [SpaceID] = []
    var failedProofs = FailedProofs()
    var deviceUploads = DeviceUploads()
    var mailboxes = Mailboxes()
    var sharedMailboxes = SharedMailboxes()
    /// Whether counts and mailboxes are those of several processes.
    var isShared = false
    /// The day on which it was last looked which devices are still here that came before; since 1970-01-01 UTC.
    var visitDay: Int64 = 0
    /// The visits among these that are to be noted.
    var visits: [RelayVisit] = []
    /// Spaces for which something waits and no commit is under way, in the order in which it came.
    var waiting: [SpaceID] = []
    var queuedByteCount = 0
    /// The bytes of the commits that are under way.
    var committingByteCount = 0
    /// Conversations that are not heard until a commit is over.
    var heldBack: Set<RelayServerSessionID> = []
    /// The answers of the store since the last `takeAnswers`.
    var answers: [(RelayEngine) -> Void] = []
    /// Is called when the first of these comes, in a call of the store: the driver calls `takeAnswers` behind it.
    package var onAnswer: (() -> Void)?
    /// Whether other processes serve the same store, which are to hear of commits.
    package var isTouchKept = false
    /// The commits that they have not been told of.
    var touches: [RelayTouch] = []

    /// Counts how long stages of the work take.
    package var stages = RelayStageClock()

    private var queue: [(RelayServerSessionID, RelayServerSessionEvent)] = []
    private var queueStart = 0
    var outputs: [Output] = []
    var now = Instant(milliseconds: 0)

    /// A relay that keeps its spaces in a store.
    package init(options: RelayOptions, access: any RelayAccess, store: any RelayStore) {
        self.options = options
        self.access = access
        self.store = store
    }

    /// Counts since the start, and the store's totals.
    package var statistics: RelayStatistics {
        var statistics = counts
        let totals = store.totals
        statistics.spaceCount = totals.spaceCount
        statistics.openSpaceCount = totals.openSpaceCount
        statistics.storedByteCount = totals.byteCount
        statistics.storedVersionCount = totals.versionCount
        statistics.storedRecordCount = totals.recordCount
        statistics.mailboxCount = isShared ? sharedMailboxes.count : mailboxes.count
        return statistics
    }

    /// How many conversations are going on.
    package var sessionCount: Int { conversations.count }

    /// Whether something waits for `commit`.
    package var hasWaiting: Bool { !waiting.isEmpty }

    // MARK: Doors

    /// Begins a conversation on a link that is open.
    package func open(
        _ channel: RelayChannel, now: Instant
    ) -> (session: RelayServerSessionID, outputs: [Output]) {
        lastNumber += 1
        let id = RelayServerSessionID(number: lastNumber)
        let isFull = conversations.count >= options.limits.sessionCountMax
        conversations[id] = RelayConversation(
            session: RelayServerSession(limits: options.limits),
            decoder: FrameDecoder(
                hasChecksum: channel.hasChecksum,
                byteCountMax: options.limits.relayHelloByteCountMax), channel: channel)
        counts.openedSessionCount += 1
        counts.sessionCount = conversations.count
        add(id, .opened)
        if isFull { add(id, .refused(.sessions(max: options.limits.sessionCountMax))) }
        return (id, finish(now))
    }

    /// Something happened to a conversation: a timer, its link, the end of the program.
    package func run(_ id: RelayServerSessionID, _ event: RelayEvent, now: Instant) -> [Output] {
        if event.isEnding { commitAll(now: now) }
        add(id, RelayServerSessionEvent(event))
        return finish(now)
    }

    /// Something happened to every conversation, or to those.
    package func runAll(
        _ event: RelayEvent, of ids: [RelayServerSessionID]? = nil, now: Instant
    ) -> [Output] {
        if event.isEnding { commitAll(now: now) }
        for id in ids ?? conversations.keys.sorted() { add(id, RelayServerSessionEvent(event)) }
        return finish(now)
    }

    /// Begins to commit the waiting items to the disk; those that are there are acknowledged, and pushed to subscribers.
    package func commit(now: Instant) -> [Output] {
        commitAll(now: now)
        return finish(now)
    }

    /// Commits the waiting items, and closes all files; the relay is not used after that.
    ///
    /// It waits for the commits that are under way, and for one of each space behind them, as long as the store does.
    package func close(now: Instant) -> [Output] {
        for _ in 0..<2 {
            commitAll(now: now)
            store.settle()
            hearAnswers(now: now)
        }
        commitAll(now: now)
        store.close()
        spaces = [:]
        return finish(now)
    }

    /// Decides otherwise from now on; who was let in before stays under what was decided then.
    ///
    /// The folder does not change.
    package func change(_ options: RelayOptions) {
        let (folder, putOut) = (self.options.folder, self.options.putOut)
        self.options = options
        self.options.folder = folder
        self.options.putOut = putOut
        store.limits = options.limits
    }

    /// Takes the operator's word on devices that are out, and ends their conversations.
    package func putOut(_ devices: Set<RelayPutOut>, now: Instant) -> [Output] {
        options.putOut = devices
        for id in conversations.keys.sorted() {
            guard let conversation = conversations[id], let space = conversation.space,
                let device = conversation.channel.visitor, isPutOut(device, of: space)
            else { continue }
            add(id, .refused(.putOut(space)))
        }
        return finish(now)
    }

    func isPutOut(_ device: RelayVisitor, of space: SpaceID) -> Bool {
        options.putOut.contains {
            $0.space == space && $0.fingerprint == device.fingerprint
        }
    }

    // MARK: Running

    func add(_ id: RelayServerSessionID, _ event: RelayServerSessionEvent) {
        queue.append((id, event))
    }

    func finish(_ now: Instant) -> [Output] {
        drainQueue(now: now)
        if queuedByteCount > options.limits.queuedByteCountMax { commitAll(now: now) }
        defer { outputs = [] }
        return outputs
    }

    func drainQueue(now: Instant) {
        self.now = now
        if now >= mailboxes.nextLook { dropOverMailboxes() }
        while queueStart < queue.count {
            let (id, event) = queue[queueStart]
            queueStart += 1
            runNow(id, event)
        }
        queue.removeAll(keepingCapacity: queue.count < 4096)
        queueStart = 0
    }

    /// Runs an event and the answers to its requests.
    private func runNow(_ id: RelayServerSessionID, _ event: RelayServerSessionEvent) {
        var answers = [event]
        var next = 0
        while next < answers.count {
            let effects = conversations[id]?.session.step(answers[next], now: now) ?? []
            next += 1
            for effect in effects {
                if let answer = perform(effect, of: id) { answers.append(answer) }
            }
        }
    }

    private func perform(
        _ effect: RelayServerSessionEffect, of id: RelayServerSessionID
    ) -> RelayServerSessionEvent? {
        switch effect {
        case .send(let message):
            let hasChecksum = conversations[id]?.channel.hasChecksum ?? true
            send(Frame.encode(message, hasChecksum: hasChecksum), to: id)
            if case .acknowledge = message { counts.acknowledgedCount += 1 }
            return nil
        case .deliver(let parcel):
            let before = parcel.encodedCount
            send(
                parcel.bytes(hasChecksum: conversations[id]?.channel.hasChecksum ?? true), to: id)
            counts.sentChangeCount += parcel.changeCount
            counts.encodedCount += parcel.encodedCount - before
            return nil
        case .admit(let relayHello): return admit(relayHello, id)
        case .openMailbox(let opening): return open(opening, for: id)
        case .put(let item): return put(item, by: id)
        case .queue(let item): return queue(item, of: id)
        case .read(let request): return read(request, of: id)
        case .wake(let time):
            outputs.append((id, .wake(at: time)))
            return nil
        case .close(let end, let refusal):
            close(id, end, refusal)
            return nil
        }
    }

    private func send(_ bytes: [UInt8], to id: RelayServerSessionID) {
        counts.sentByteCount += bytes.count
        conversations[id]?.sentByteCount += bytes.count
        outputs.append((id, .send(bytes)))
    }

    private func queue(
        _ item: RelayUploadItem, of id: RelayServerSessionID
    ) -> RelayServerSessionEvent? {
        guard let conversation = conversations[id], let replica = conversation.replica,
            let space = conversation.space.flatMap({ spaces[$0] })
        else { preconditionFailure("only who was let into a space uploads") }
        let limits = options.limits
        if let visitor = conversation.channel.visitor {
            let device = DeviceUploads.Device(space: space.id, fingerprint: visitor.fingerprint)
            guard deviceUploads.hasRoom(device, max: limits.deviceByteCountMax, now: now) else {
                return .uploadRefused(.deviceBytes(space.id, max: limits.deviceByteCountMax))
            }
            space.uploaders[id] = device
        }
        if space.queue.isEmpty {
            space.queuedAt = stages.now()
            if space.committing == nil { waiting.append(space.id) }
        }
        space.queue.append(RelayUpload(sender: id, replica: replica, item: item))
        queuedByteCount += item.byteCount
        if case .changes(let batch) = item {
            counts.receivedChangeCount += batch.changes.count
        }
        return nil
    }

    private func close(_ id: RelayServerSessionID, _ end: SessionEnd, _ refusal: RelayRefusal?) {
        guard let conversation = conversations.removeValue(forKey: id) else { return }
        counts.heldByteCount -= conversation.countedHeldByteCount
        counts.sessionCount = conversations.count
        let (address, device) = (conversation.channel.address, conversation.channel.visitor)
        if let refusal {
            counts.refusals[refusal.reason, default: 0] += 1
            note(
                .refused(
                    refusal.reason, conversation.space, address: address,
                    device: device?.fingerprint, message: refusal.error.message), id)
        } else {
            let bytes = RelayTraffic(
                receivedByteCount: conversation.receivedByteCount,
                sentByteCount: conversation.sentByteCount)
            note(
                .ended(
                    conversation.space, address: address, device: device?.fingerprint, bytes, end),
                id)
        }
        outputs.append((id, .close(end)))
        if isShared {
            sharedMailboxes.leave(id)
        } else if let mailbox = conversation.mailbox {
            mailboxes.leave(mailbox, id, options.limits, now: now)
        }
        if let space = conversation.space.flatMap({ spaces[$0] }) {
            space.remove(id)
            forgetIfIdle(space)
        }
    }

    func note(_ event: RelayLogEvent, _ id: RelayServerSessionID? = nil) {
        outputs.append((id, .log(event)))
    }
}

extension RelayServerSessionEvent {
    init(_ event: RelayEvent) {
        self =
            switch event {
            case .sendQueue(let byteCount): .sendQueue(byteCount: byteCount)
            case .wake: .wake
            case .drain: .drain
            case .leave: .refused(.leaving)
            case .lost: .lost
            }
    }
}
