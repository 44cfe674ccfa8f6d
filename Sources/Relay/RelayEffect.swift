import Core
import Session

/// What a relay asks of the world for one of its conversations.
package enum RelayEffect: Sendable {
    /// Put these bytes, whole frames, on the link.
    ///
    /// What goes to many subscribers is one array: it is shared as long as nobody changes it.
    case send([UInt8])
    /// Run `wake` at that time, or earlier; replaces what was asked for before.
    case wake(at: Instant)
    /// Close the link once all is sent; the conversation is over.
    case close(SessionEnd)
    /// Something to note for the one who runs the relay.
    case log(RelayLogEvent)
}
