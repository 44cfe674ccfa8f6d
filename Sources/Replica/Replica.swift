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
    /// The store's records as relays know them; empty unless one has versions that cannot be opened.
    var relayNames = RelayNames()
    private var lastNumber = 0
    private var queue: [(ConversationID, SessionEvent)] = []
    private var outputs: [Output] = []
    /// Whether the store changed since the conversations were last told.
    private var isStoreChanged = false
    private var isForeignChanged = false
    /// The store's replica id, as the conversations know it.
    private(set) var identity: ReplicaID
    /// Gives the error for a peer that is refused, by the replica id that it states and the key that it has shown;
    /// nil if it may sync.
    ///
    /// Asked at its hello, and again whenever the records of devices have changed, before anything else is
    /// sent to it.
    package var refusal: (_ stated: ReplicaID, _ shownKey: [UInt8]?) -> PeerError? = { _, _ in nil }
    /// Called when the records of devices have changed: one may be revoked, and the space may have another secret.
    ///
    /// Called within an event: the reaction has to wait for the end of that.
    package var devicesChanged: () -> Void = {}
    /// The state of the devices' records by which the conversations were last judged.
    private var checkedDevices: UInt64?
    /// The conversation whose event is being run: it hears nothing of changes that it made itself.
    private var running: ConversationID?

    /// A replica without conversations.
    package init(store: Store) {
        self.store = store
        identity = store.replica
        // The store may outlive its conversations, and be written to then.
        store.onChange = { [weak self] in self?.isStoreChanged = true }
        // A commit of another process is news to every conversation, whichever found it.
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
            as: store.replica, shownKey: shownKey, hasChecksum: hasChecksum)
        return (id, run(id, .opened, now: now))
    }

    /// Begins a conversation with a relay on a link that is open.
    ///
    /// - Parameters:
    ///   - account: what the relay is shown to be let in.
    ///   - seal: closes what leaves; nil only in a space without encryption.
    ///   - rekeyMailbox: writes and opens rekey messages, if the space's secret may have been changed.
    ///   - guess: the id of the relay's store as it was last time.
    package func openRelay(
        _ account: RelayAccount, seal: (any SpaceSeal)?, rekeyMailbox: (any RekeyMailbox)? = nil,
        isLive: Bool, guess: ReplicaID? = nil,
        limits: SessionLimits = SessionLimits(), hasChecksum: Bool = true, now: Instant
    ) -> (conversation: ConversationID, outputs: [Output]) {
        lastNumber += 1
        let id = ConversationID(number: lastNumber)
        conversations[id] = Conversation(
            RelayClientSession(account: account, isLive: isLive, limits: limits, guess: guess),
            as: store.replica, seal: seal, rekeyMailbox: rekeyMailbox, hasChecksum: hasChecksum)
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
                // The message before may have ended it.
                guard conversations[id] != nil, let message = try conversation.decoder.next() else {
                    break
                }
                queue.append((id, refusal(of: message, id) ?? .received(message)))
            } catch {
                queue.append((id, .undecodable(error)))
                runQueue(now: now)
                break
            }
            runQueue(now: now)
        }
        conversation.releaseBuffer()
        return dequeueOutputs()
    }

    /// An idle conversation keeps no more than this of its buffer of frames; bytes.
    package static let idleByteCountMax = Conversation.idleByteCountMax

    /// The memory that a conversation takes for what is on its way in and out, without its link; in bytes.
    package func heldByteCount(of id: ConversationID) -> Int {
        conversations[id]?.heldByteCount ?? 0
    }

    /// Something happened to one conversation: a timer, its link, the end of the program.
    package func run(_ id: ConversationID, _ event: SessionEvent, now: Instant) -> [Output] {
        guard conversations[id] != nil else { return [] }
        queue.append((id, event))
        runQueue(now: now)
        return dequeueOutputs()
    }

    /// Something happened to every conversation.
    package func runAll(_ event: SessionEvent, now: Instant) -> [Output] {
        for id in conversations.keys.sorted() { queue.append((id, event)) }
        runQueue(now: now)
        return dequeueOutputs()
    }

    /// Edits were made in this process, or another process may have committed: the conversations that do not know
    /// of it are told.
    package func noticeChanges(now: Instant) -> [Output] {
        do throws(StoreFault) {
            try store.catchUp()
        } catch {
            for id in conversations.keys.sorted() {
                outputs.append((id, .fault(error)))
                queue.append((id, .storeFailed(PeerError(error))))
            }
        }
        runQueue(now: now)
        return dequeueOutputs()
    }

    // MARK: Running

    private func dequeueOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    private func runQueue(now: Instant) {
        announceChanges()
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
            announceChanges()
            running = nil
        }
    }

    /// Records the replica id of a peer's hello, and gives its refusal; nil if it may sync.
    private func refusal(of message: Message, _ id: ConversationID) -> SessionEvent? {
        guard case .hello(let hello) = message, let conversation = conversations[id],
            !conversation.isWithRelay
        else { return nil }
        conversation.statedReplica = hello.replica
        return refusal(hello.replica, conversation.shownKey).map { .refused($0) }
    }

    /// Ends the conversations with devices that were revoked.
    private func refuseRevoked() {
        // A failure to read is reported by the next question that needs the answer.
        guard let devices = try? store.deviceSequence(), devices != checkedDevices else { return }
        checkedDevices = devices
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

    private func announceChanges() {
        announceIdentity()
        guard isStoreChanged || isForeignChanged else { return }
        refuseRevoked()
        // The check may have read commits of other processes.
        announceIdentity()
        endReleased()
        let writer = isForeignChanged ? nil : running
        isStoreChanged = false
        isForeignChanged = false
        for id in conversations.keys.sorted() where id != writer {
            queue.append((id, .storeChanged))
        }
    }

    /// Ends the conversations whose held deletes were confirmed: the next ones merge them.
    private func endReleased() {
        for id in conversations.keys.sorted() {
            // A failure to read is reported by the next question that needs the answer.
            guard let conversation = conversations[id], let peer = conversation.heldPeer,
                let isHeld = try? store.holdsDeletes(of: peer), !isHeld
            else { continue }
            conversation.heldPeer = nil
            queue.append((id, .drain))
        }
    }

    private func announceIdentity() {
        // This process or another one has given the store a new id; its next steps may have failed, on a
        // full disk.
        guard store.replica != identity else { return }
        identity = store.replica
        let all = conversations.keys.sorted()
        let withRelays = all.filter { conversations[$0]?.isWithRelay == true }
        for id in all where !withRelays.contains(id) { queue.append((id, .identityChanged)) }
        // A relay hears nothing more from a device under another id than that of its relay hello.
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
                let conversation = conversations[id]
                // An event may have waited while the store took another id, and there may be other replicas of the store.
                if let conversation { store.speak(as: conversation.ownReplica) }
                if let conversation, conversation.isWithRelay {
                    return try ask(effect, of: id, in: conversation)
                }
                return try ask(effect, of: conversation?.peerKey)
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

    /// This store's own state summary has changed: the other conversations are to hear it.
    func noteLearning() { isStoreChanged = true }
}

/// The name of one conversation of a replica while it lasts.
package struct ConversationID: Hashable, Comparable, Sendable {
    /// The number of the conversation; a replica counts them from 1.
    package let number: Int

    /// The name of the conversation of that number.
    package init(number: Int) { self.number = number }

    package static func < (left: ConversationID, right: ConversationID) -> Bool {
        left.number < right.number
    }
}

/// Everything that a replica asks of its driver for one of its conversations.
package enum ReplicaEffect: Sendable {
    /// Put these bytes, whole frames, on the link.
    case send([UInt8])
    /// Call `wake` at that time, or earlier; replaces the time that was asked for before.
    case wake(at: Instant)
    /// Tell how far the conversation has come.
    case report(SessionReport)
    /// Tell the user of this device, in full, which fault its own store has; the conversation then ends
    /// with an error that leaves out what is not the peer's business.
    case fault(StoreFault)
    /// Close the link once all is sent; the conversation is over.
    case close(SessionEnd)
}

/// One session, with a peer or with a relay, and the bytes it waits for.
///
/// A class, since a session is too large to be moved out of the table and back at each event.
final class Conversation {
    private var peer: SyncSession?
    private var relay: RelayClientSession?
    /// The store's replica id when it began: it speaks under no other.
    let ownReplica: ReplicaID
    /// The encryption towards a relay; nil in a space without encryption.
    let seal: (any SpaceSeal)?
    /// The rekey messages of the space; nil if its secret was never changed.
    let rekeyMailbox: (any RekeyMailbox)?
    /// The hashes of the rekey messages that the relay has, by the keys for which they are.
    var rekeyMessageHashes: [[UInt8]: UInt128]?
    /// The state of the devices' records by which they were last written.
    var rekeyMessageSequence: UInt64?
    var decoder: FrameDecoder
    let hasChecksum: Bool
    /// The key that the peer has shown on its link; nil if the link asks for none.
    let shownKey: [UInt8]?
    /// The replica id that the peer states; nil before its greeting, and for a relay.
    var statedReplica: ReplicaID?
    /// The peer or relay whose deletes are held, if they are.
    var heldPeer: ReplicaID?

    /// The bytes that name the peer's device: its key, or the replica id that it states over a link without keys.
    var peerKey: [UInt8]? { shownKey ?? statedReplica?.bytes }

    /// With a peer.
    init(
        _ session: SyncSession, as ownReplica: ReplicaID, shownKey: [UInt8]?, hasChecksum: Bool
    ) {
        peer = session
        self.ownReplica = ownReplica
        self.shownKey = shownKey
        seal = nil
        rekeyMailbox = nil
        decoder = FrameDecoder(hasChecksum: hasChecksum)
        self.hasChecksum = hasChecksum
    }

    /// With a relay.
    init(
        _ session: RelayClientSession, as ownReplica: ReplicaID, seal: (any SpaceSeal)?,
        rekeyMailbox: (any RekeyMailbox)?, hasChecksum: Bool
    ) {
        relay = session
        self.ownReplica = ownReplica
        shownKey = nil
        self.seal = seal
        self.rekeyMailbox = rekeyMailbox
        decoder = FrameDecoder(hasChecksum: hasChecksum)
        self.hasChecksum = hasChecksum
    }

    /// An idle conversation keeps no more than this of its buffer; bytes.
    static let idleByteCountMax = 128 * 1024

    /// Lets go of the buffer of frames, if nothing waits in it.
    func releaseBuffer() {
        if decoder.pendingByteCount == 0, decoder.heldByteCount > Self.idleByteCountMax {
            decoder = FrameDecoder(hasChecksum: hasChecksum)
        }
    }

    /// The memory that frames and bodies take, in bytes.
    var heldByteCount: Int {
        decoder.heldByteCount + (peer?.heldByteCount ?? relay?.heldByteCount ?? 0)
    }

    /// Whether the other side is a relay.
    var isWithRelay: Bool { relay != nil }

    func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        peer?.step(event, now: now) ?? relay?.step(event, now: now) ?? []
    }
}
