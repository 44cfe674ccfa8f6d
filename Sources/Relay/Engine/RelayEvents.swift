import Core
import Session

/// An event of a relay conversation other than received bytes.
package enum RelayEvent: Hashable, Sendable {
    /// The bytes that the link holds unsent; reported when they rise above or fall below the link's
    /// mark.
    case sendQueue(byteCount: Int)
    /// The time asked for by `wake` has come.
    case wake
    /// The relay stops: received items are committed and acknowledged, then the conversation ends.
    case drain
    /// This process stops, and others serve the same store: the same, but the device is told to go to one of them.
    case leave
    /// The link is closed.
    case lost

    /// Whether it ends a conversation in order: what came before is committed first.
    var isEnding: Bool {
        switch self {
        case .drain, .leave: true
        case .sendQueue, .wake, .lost: false
        }
    }
}

/// An action that a relay requests for one of its conversations.
package enum RelayEffect: Sendable {
    /// Put these bytes, whole frames, on the link.
    ///
    /// An array sent to many subscribers is shared, not copied, as long as nobody changes it.
    case send([UInt8])
    /// Run `wake` at that time, or earlier; replaces the earlier request.
    case wake(at: Instant)
    /// Close the link once all is sent; the conversation is over.
    case close(SessionEnd)
    /// Log an event for the relay's operator.
    case log(RelayLogEvent)
}

/// The facts about a link that are known when it opens.
package struct RelayChannel: Hashable, Sendable {
    /// Where the device is, without a port: failed proofs are counted under it.
    package var address: String
    /// The channel binding, known only to the channel's two ends: the exporter of TLS; nil without
    /// TLS.
    package var binding: [UInt8]?
    /// The device, by the key that it has proved; nil without TLS.
    package var visitor: RelayVisitor?
    /// Whether frames carry a checksum, as the transport does not authenticate.
    package var hasChecksum: Bool

    /// A link from `address`.
    package init(
        address: String, binding: [UInt8]? = nil, visitor: RelayVisitor? = nil,
        hasChecksum: Bool = true
    ) {
        self.address = address
        self.binding = binding
        self.visitor = visitor
        self.hasChecksum = hasChecksum
    }
}

/// Names one conversation of a relay while it lasts.
package struct RelayServerSessionID: Hashable, Comparable, Sendable {
    /// Counts the conversations of one relay, from 1.
    package let number: Int

    /// A conversation.
    package init(number: Int) {
        self.number = number
    }

    package static func < (left: RelayServerSessionID, right: RelayServerSessionID) -> Bool {
        left.number < right.number
    }
}
