import Core
import Session
import Storage

/// The name of one conversation of a replica while it lasts.
package struct ConversationID: Hashable, Comparable, Sendable {
    /// The number of the conversation; a replica counts them from 1.
    package let number: Int

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

    /// With a peer.
    init(_ session: SyncSession, shownKey: [UInt8]?, hasChecksum: Bool) {
        peer = session
        self.shownKey = shownKey
        seal = nil
        rekeyMailbox = nil
        decoder = FrameDecoder(hasChecksum: hasChecksum)
        self.hasChecksum = hasChecksum
    }

    /// With a relay.
    init(
        _ session: RelayClientSession, seal: (any SpaceSeal)?, rekeyMailbox: (any RekeyMailbox)?,
        hasChecksum: Bool
    ) {
        relay = session
        shownKey = nil
        self.seal = seal
        self.rekeyMailbox = rekeyMailbox
        decoder = FrameDecoder(hasChecksum: hasChecksum)
        self.hasChecksum = hasChecksum
    }

    /// Whether the other side is a relay.
    var isWithRelay: Bool { relay != nil }

    func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        peer?.step(event, now: now) ?? relay?.step(event, now: now) ?? []
    }
}
