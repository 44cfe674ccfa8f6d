import Core
import Session

/// An event of one conversation.
enum RelayServerSessionEvent {
    case opened
    case received(Message)
    case undecodable(WireFault)
    /// The answer to `admit`.
    case welcomed(RelayHelloReply, rowsAfter: UInt64)
    /// The relay ends the conversation: also an answer to `admit`.
    case refused(RelayRefusal)
    /// Nothing of the last upload is kept, nor of what follows: the relay ends the conversation once the device has what
    /// is there.
    case uploadRefused(RelayRefusal)
    /// The answer to `openMailbox`, with what is in it.
    case mailboxOpened(UInt128, [[UInt8]])
    /// Another conversation put an item into the mailbox.
    case mailboxItem(MailboxItem)
    /// The answer to `read`.
    case read(RelayDelivery)
    /// Items of this conversation are on the disk.
    case committed(RelayReceipt)
    /// Something of another conversation was committed.
    case storeChanged
    case sendQueue(byteCount: Int)
    case wake
    case drain
    case lost
}

/// An action that one conversation requests; answers come back as events.
enum RelayServerSessionEffect {
    case send(Message)
    case deliver(RelayParcel)
    case admit(RelayHello)
    case openMailbox(MailboxOpening)
    /// Puts an item into the mailbox that was asked for.
    case put(MailboxItem)
    /// Keep this until the next commit, in the order of arrival.
    case queue(RelayUploadItem)
    case read(RelayReadRequest)
    case wake(at: Instant)
    case close(SessionEnd, RelayRefusal?)
}

/// One session with the bytes it waits for and the link it is on.
struct RelayConversation {
    var session: RelayServerSession
    var decoder: FrameDecoder
    let channel: RelayChannel
    /// The space it was let into; nil before.
    var space: SpaceID?
    /// The device's replica; nil before the relay hello.
    var replica: ReplicaID?
    /// The bytes that came, and those that were sent.
    var receivedByteCount = 0
    var sentByteCount = 0
    /// The mailbox that it has asked for, or has open; nil for one about a space.
    var mailbox: UInt128?
    /// Whether the store decides on its relay hello: what comes meanwhile is not looked at.
    var isAdmitting = false
    /// This conversation's share of the relay's half-received bytes, as last counted.
    var countedHeldByteCount = 0

    /// The memory that half-received frames and bodies take, in bytes.
    var heldByteCount: Int { decoder.heldByteCount + session.heldByteCount }
}
