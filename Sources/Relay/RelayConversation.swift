import Core

/// One session with the bytes it waits for and the link it is on.
struct RelayConversation {
    var session: RelaySession
    var decoder: FrameDecoder
    let channel: RelayChannel
    /// The space it was let into; nil before.
    var space: SpaceID?
    /// Who speaks; nil before the approach.
    var replica: ReplicaID?
    /// What of it counts among the half-received bytes of the relay.
    var countedHeldByteCount = 0

    /// The memory that half-received frames and bodies take, in bytes.
    var heldByteCount: Int { decoder.heldByteCount + session.heldByteCount }
}
