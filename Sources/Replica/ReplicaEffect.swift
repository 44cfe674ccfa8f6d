import Core
import Session
import Storage

/// What a replica asks of the world for one of its conversations.
package enum ReplicaEffect: Sendable {
    /// Put these bytes, whole frames, on the link.
    case send([UInt8])
    /// Call `wake` at that time, or earlier; replaces what was asked for before.
    case wake(at: Instant)
    /// Tell how far the conversation has come.
    case report(SessionReport)
    /// Tell the one who uses this side what went wrong with this side's own store, in full; the
    /// conversation then ends with an error that leaves out what is not the peer's business.
    case fault(StoreFault)
    /// Close the link once all is sent; the conversation is over.
    case close(SessionEnd)
}
