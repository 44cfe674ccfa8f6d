import Core

/// What can happen to one conversation.
enum RelaySessionEvent {
    case opened
    case received(Message)
    case undecodable(WireFault)
    /// The answer to `admit`.
    case welcomed(Welcome, noticesAfter: UInt64)
    /// The relay ends the conversation: also an answer to `admit`.
    case refused(RelayRefusal)
    /// The answer to `read`.
    case read(RelayDelivery)
    /// So many items of this conversation are on the disk; `own` are the arrival numbers that they got.
    case committed(itemCount: Int, byteCount: Int, own: [ClosedRange<UInt64>], notice: UInt64?)
    /// Something of another conversation was committed.
    case storeChanged
    case sendQueue(byteCount: Int)
    case wake
    case drain
    case lost
}
