import Core
import Session
import Storage

/// A store and its conversations: runs what sessions ask of the store, and passes on the rest.
///
/// Every door takes the time and gives the effects to run, in order, each for one conversation. A
/// conversation that changes the store lets the others know within the same call.
package final class Replica {
    /// An effect and the conversation it is for.
    package typealias Output = (conversation: ConversationID, effect: ReplicaEffect)

    /// The store.
    package let store: Store
    private var conversations: [ConversationID: Conversation] = [:]
    private var lastNumber = 0
    private var queue: [(ConversationID, SessionEvent)] = []
    private var outputs: [Output] = []
    /// Whether the store changed since the conversations were last told.
    private var isStoreChanged = false
    private var isForeignChanged = false
    /// Who the store is, as the conversations know it.
    private(set) var identity: ReplicaID
    /// Why a peer is refused, by who it says it is and the key that it has shown; nil if it is not.
    ///
    /// Asked when it greets, and again whenever the records of devices have changed, before anything else is
    /// told to it.
    package var refusal: (_ stated: ReplicaID, _ shownKey: [UInt8]?) -> PeerError? = { _, _ in nil }
    /// Called when the records of devices have changed: one may be out, and the space may have another secret.
    ///
    /// In the midst of an event: what is done about it has to wait for the end of it.
    package var devicesChanged: () -> Void = {}
    /// The state of the devices' records by which the conversations were last judged.
    private var judgedDevices: UInt64?
    /// Whose event is being run: it is not told of changes that it made itself.
    private var running: ConversationID?

    /// A replica without conversations.
    package init(store: Store) {
        self.store = store
        identity = store.replica
        // The store may outlive its conversations, and be written to then.
        store.onChange = { [weak self] in self?.isStoreChanged = true }
        // What another process committed is news to every conversation, whoever came upon it.
        store.onForeignChange = { [weak self] in self?.isForeignChanged = true }
    }

    /// How many conversations are going on.
    package var conversationCount: Int { conversations.count }

    // MARK: Doors

    /// Begins a conversation on a link that is open.
    ///
    /// - Parameters:
    ///   - guess: who is believed to be at the other end.
    ///   - shownKey: the key that the peer has shown on its link; nil if the link asks for none.
    package func open(
        _ role: SessionRole, isLive: Bool, guess: ReplicaID? = nil, shownKey: [UInt8]? = nil,
        limits: SessionLimits = SessionLimits(), hasChecksum: Bool = true, now: Instant
    ) -> (conversation: ConversationID, outputs: [Output]) {
        lastNumber += 1
        let id = ConversationID(number: lastNumber)
        conversations[id] = Conversation(
            SyncSession(role: role, isLive: isLive, limits: limits, guess: guess),
            shownKey: shownKey, hasChecksum: hasChecksum)
        return (id, run(id, .opened, now: now))
    }

    /// Begins a conversation with a relay on a link that is open.
    ///
    /// - Parameters:
    ///   - account: what the relay is shown to be let in.
    ///   - seal: closes what leaves; nil only in a space without encryption.
    ///   - letterbox: writes and opens letters, if the space's secret may have been changed.
    ///   - guess: the id of the relay's store as it was last time.
    package func openRelay(
        _ account: RelayAccount, seal: (any SpaceSeal)?, letterbox: (any Letterbox)? = nil,
        isLive: Bool, guess: ReplicaID? = nil,
        limits: SessionLimits = SessionLimits(), hasChecksum: Bool = true, now: Instant
    ) -> (conversation: ConversationID, outputs: [Output]) {
        lastNumber += 1
        let id = ConversationID(number: lastNumber)
        conversations[id] = Conversation(
            DeviceSession(account: account, isLive: isLive, limits: limits, guess: guess),
            seal: seal, letterbox: letterbox, hasChecksum: hasChecksum)
        return (id, run(id, .opened, now: now))
    }

    /// Bytes came for a conversation.
    package func receive(
        _ id: ConversationID, _ bytes: UnsafeRawBufferPointer, now: Instant
    )
        -> [Output]
    {
        guard let conversation = conversations[id] else { return [] }
        conversation.decoder.append(bytes)
        // A conversation lets go of its messages one by one: each may change what the next one meets.
        while true {
            do throws(WireFault) {
                // What came before may have ended it.
                guard conversations[id] != nil, let message = try conversation.decoder.next() else {
                    break
                }
                queue.append((id, greeted(message, id) ?? .received(message)))
            } catch {
                queue.append((id, .undecodable(error)))
                drainQueue(now: now)
                break
            }
            drainQueue(now: now)
        }
        return takeOutputs()
    }

    /// Something happened to a conversation: a timer, its link, the end of the program.
    package func run(_ id: ConversationID, _ event: SessionEvent, now: Instant) -> [Output] {
        guard conversations[id] != nil else { return [] }
        queue.append((id, event))
        drainQueue(now: now)
        return takeOutputs()
    }

    /// Something happened to every conversation.
    package func runAll(_ event: SessionEvent, now: Instant) -> [Output] {
        for id in conversations.keys.sorted() { queue.append((id, event)) }
        drainQueue(now: now)
        return takeOutputs()
    }

    /// Edits were made in this process, or another process may have committed: whoever has to know is told.
    package func noticeChanges(now: Instant) -> [Output] {
        do throws(StoreFault) {
            try store.catchUp()
        } catch {
            for id in conversations.keys.sorted() {
                outputs.append((id, .fault(error)))
                queue.append((id, .storeFailed(PeerError(error))))
            }
        }
        drainQueue(now: now)
        return takeOutputs()
    }

    // MARK: Running

    private func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    private func drainQueue(now: Instant) {
        tellChanges()
        while !queue.isEmpty {
            let (id, event) = queue.removeFirst()
            guard let conversation = conversations[id] else { continue }
            running = id
            let effects = conversation.step(event, now: now)
            var answers: [(ConversationID, SessionEvent)] = []
            for effect in effects {
                if let answer = perform(effect, of: id) { answers.append((id, answer)) }
            }
            // Answers come before anything else that waits for the same conversation.
            queue.insert(contentsOf: answers, at: 0)
            tellChanges()
            running = nil
        }
    }

    /// Takes note of who greets, and judges it; nil if all is well.
    private func greeted(_ message: Message, _ id: ConversationID) -> SessionEvent? {
        guard case .hello(let hello) = message, let conversation = conversations[id],
            !conversation.isWithRelay
        else { return nil }
        conversation.statedReplica = hello.replica
        return refusal(hello.replica, conversation.shownKey).map { .refused($0) }
    }

    /// Ends the conversations with devices that were taken out of the space.
    private func judgeAgain() {
        // What cannot be read is told by whoever needs it.
        guard let devices = try? store.deviceSequence(), devices != judgedDevices else { return }
        judgedDevices = devices
        devicesChanged()
        var refused: [(ConversationID, SessionEvent)] = []
        for id in conversations.keys.sorted() {
            guard let conversation = conversations[id], let stated = conversation.statedReplica,
                let error = refusal(stated, conversation.shownKey)
            else { continue }
            refused.append((id, .refused(error)))
        }
        queue.insert(contentsOf: refused, at: 0)
    }

    private func tellChanges() {
        tellIdentity()
        guard isStoreChanged || isForeignChanged else { return }
        judgeAgain()
        // To judge is to read what others committed.
        tellIdentity()
        endReleased()
        let told = isForeignChanged ? nil : running
        isStoreChanged = false
        isForeignChanged = false
        for id in conversations.keys.sorted() where id != told {
            queue.append((id, .storeChanged))
        }
    }

    /// Ends the conversations that hold deletes which are held no longer: the next ones take them.
    private func endReleased() {
        for id in conversations.keys.sorted() {
            // What cannot be read is told by whoever needs it.
            guard let conversation = conversations[id], let peer = conversation.heldPeer,
                let isHeld = try? store.holdsDeletes(of: peer), !isHeld
            else { continue }
            conversation.heldPeer = nil
            queue.append((id, .drain))
        }
    }

    private func tellIdentity() {
        // This process or another one has found that the store is not who it was; what was to follow may
        // have failed, on a full disk.
        guard store.replica != identity else { return }
        identity = store.replica
        let all = conversations.keys.sorted()
        let withRelays = all.filter { conversations[$0]?.isWithRelay == true }
        for id in all where !withRelays.contains(id) { queue.append((id, .identityChanged)) }
        // A relay is told nothing more by who has another id than it approached with.
        queue.insert(contentsOf: withRelays.map { ($0, .identityChanged) }, at: 0)
    }

    private func perform(_ effect: SessionEffect, of id: ConversationID) -> SessionEvent? {
        switch effect {
        case .send(let message):
            send(message, to: id)
            return nil
        case .wake(let time):
            outputs.append((id, .wake(at: time)))
            return nil
        case .report(let report):
            conversations[id]?.heldPeer = report.held == nil ? nil : report.peer
            outputs.append((id, .report(report)))
            return nil
        case .close(let end):
            conversations[id] = nil
            outputs.append((id, .close(end)))
            return nil
        default:
            do throws(StoreFault) {
                if let conversation = conversations[id], conversation.isWithRelay {
                    return try ask(effect, of: id, in: conversation)
                }
                return try ask(effect)
            } catch {
                outputs.append((id, .fault(error)))
                return .storeFailed(PeerError(error))
            }
        }
    }

    func send(_ message: Message, to id: ConversationID) {
        let hasChecksum = conversations[id]?.hasChecksum ?? true
        outputs.append((id, .send(Frame.encode(message, hasChecksum: hasChecksum))))
    }

    /// What this store states of itself has changed: the others are to hear it.
    func noteLearning() { isStoreChanged = true }

    /// Has the store do what a session asks; gives its answer.
    func ask(_ effect: SessionEffect) throws(StoreFault) -> SessionEvent? {
        switch effect {
        case .greet(let peer): return .greeting(Greeting(try store.introduction(to: peer)))
        case .examine(let recollection):
            let isDoubtful = try store.isDoubtful(
                counter: recollection.counter, epoch: recollection.epoch)
            return .examined(isDoubtful: isDoubtful)
        case .recallHistory(let peer): return .history(try store.history(of: peer))
        case .settle(let history):
            return .examined(isDoubtful: try store.settle(history))
        case .doubtIdentity(.sameReplica(let opening, let counter)):
            // A device that calls itself speaks in an opening of its own, and has no doubt: it may be an
            // earlier one than the present if something was written since.
            let isItself = try store.isOwn(opening.epoch)
            if isItself, try !store.isDoubtful(counter: counter, epoch: opening.epoch) {
                return nil
            }
            let own = store.replica
            let history = History(replica: own, counter: opening.counter, openings: [opening])
            _ = try store.settle(history, isCertain: true)
            return nil
        case .read(let request):
            return .read(
                ReadAnswer(
                    try store.read(
                        from: Store.ReadStart(request.start), peerHas: request.peerHas,
                        wanted: request.wanted, isFull: request.isFull,
                        byteCountMax: request.byteCountMax)))
        case .integrate(let request):
            let result = try store.integrate(
                request.changes, from: request.peer, checkpoint: request.checkpoint,
                openings: request.openings, isRepair: request.isRepair,
                startsSession: request.startsSession)
            return .integrated(
                IntegrateAnswer(
                    wanted: result.wanted, changedCount: result.changedCount,
                    parkedCount: result.parkedCount,
                    held: result.held.map {
                        HeldCount(deletedCount: $0.deletedCount, liveCount: $0.liveCount)
                    }, arrivals: result.arrivals))
        case .join(let request):
            let result = try store.join(
                request.statement, from: request.peer, through: request.through)
            // No record changed, but what this replica states of itself did: the others are to hear it.
            if result.hasLearned { isStoreChanged = true }
            return .joined(
                JoinAnswer(
                    isWithheld: result.isWithheld, isDiverged: result.isDiverged,
                    isRepairDue: result.isRepairDue))
        case .send, .wake, .report, .close, .judge, .declare, .noteUploaded, .noteFetched,
            .leaveLetters, .takeLetter:
            return nil
        }
    }
}
