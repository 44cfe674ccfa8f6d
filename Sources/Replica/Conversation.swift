import Core
import Session

/// One session, with a peer or with a relay, and the bytes it waits for.
///
/// A class, since a session is too large to be moved out of the table and back at each event.
final class Conversation {
    private var peer: SyncSession?
    private var relay: DeviceSession?
    /// Closes what goes to a relay; nil in a space without encryption.
    let seal: (any SpaceSeal)?
    /// Writes and opens letters; nil in a space whose secret was never changed.
    let letterbox: (any Letterbox)?
    /// What the relay has of them: their hashes, by the keys for which they are.
    var letterHashes: [[UInt8]: UInt128]?
    /// The state of the devices' records by which they were last written.
    var letterSequence: UInt64?
    var decoder: FrameDecoder
    let hasChecksum: Bool
    /// The key that the peer has shown on its link; nil if the link asks for none.
    let shownKey: [UInt8]?
    /// Who the peer says it is; nil before its greeting, and for a relay.
    var statedReplica: ReplicaID?
    /// The peer or relay whose deletes are held, if they are.
    var heldPeer: ReplicaID?

    /// With a peer.
    init(_ session: SyncSession, shownKey: [UInt8]?, hasChecksum: Bool) {
        peer = session
        self.shownKey = shownKey
        seal = nil
        letterbox = nil
        decoder = FrameDecoder(hasChecksum: hasChecksum)
        self.hasChecksum = hasChecksum
    }

    /// With a relay.
    init(
        _ session: DeviceSession, seal: (any SpaceSeal)?, letterbox: (any Letterbox)?,
        hasChecksum: Bool
    ) {
        relay = session
        shownKey = nil
        self.seal = seal
        self.letterbox = letterbox
        decoder = FrameDecoder(hasChecksum: hasChecksum)
        self.hasChecksum = hasChecksum
    }

    /// Whether the other side is a relay.
    var isWithRelay: Bool { relay != nil }

    func step(_ event: SessionEvent, now: Instant) -> [SessionEffect] {
        peer?.step(event, now: now) ?? relay?.step(event, now: now) ?? []
    }
}
