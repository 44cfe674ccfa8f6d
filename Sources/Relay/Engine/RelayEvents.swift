import Core
import Session

/// What can happen to a conversation of a relay besides bytes.
package enum RelayEvent: Hashable, Sendable {
    /// How much the link holds unsent; told when that rises over or falls under the link's mark.
    case sendQueue(byteCount: Int)
    /// The time asked for by `wake` has come.
    case wake
    /// The relay stops: what was received is committed and acknowledged, then the conversation ends.
    case drain
    /// The link is closed.
    case lost
}

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

/// What is known of a link when it opens.
package struct RelayChannel: Hashable, Sendable {
    /// Where the device is, without a port: failed proofs are counted under it.
    package var address: String
    /// What names the channel and can be known at its two ends only: the exporter of TLS; nil without TLS.
    package var binding: [UInt8]?
    /// Whether frames carry a checksum, as the transport does not authenticate.
    package var hasChecksum: Bool

    /// A link from `address`.
    package init(address: String, binding: [UInt8]? = nil, hasChecksum: Bool = true) {
        self.address = address
        self.binding = binding
        self.hasChecksum = hasChecksum
    }
}

/// Names one conversation of a relay while it lasts.
package struct RelaySessionID: Hashable, Comparable, Sendable {
    /// Counts the conversations of one relay, from 1.
    package let number: Int

    /// A conversation.
    package init(number: Int) {
        self.number = number
    }

    package static func < (left: RelaySessionID, right: RelaySessionID) -> Bool {
        left.number < right.number
    }
}
