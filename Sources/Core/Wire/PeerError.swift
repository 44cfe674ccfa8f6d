/// An error as it is told to the other side: what, whose side, and what to do next.
package struct PeerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong; numbers unknown here are shown as they are.
    package enum Code: UInt64, Hashable, Sendable, CaseIterable {
        /// The bytes are not the protocol.
        case malformed = 1
        /// No version of the protocol is spoken by both.
        case incompatible = 2
        /// The peer belongs to another space.
        case foreignSpace = 3
        /// The peers have different rules for the same space.
        case rulesDiffer = 4
        /// Both peers have the same replica id.
        case sameReplica = 5
        /// A message came that does not belong there.
        case outOfOrder = 6
        /// Something is larger than a limit.
        case overLimit = 7
        /// The other side was silent for too long.
        case timeout = 8
        /// The speaker's store cannot take more: full disk, busy, or damaged.
        case store = 9
        /// The speaker serves too many sessions.
        case busy = 10
        /// The speaker found that its identity was in doubt and took a new one.
        case newIdentity = 11
        /// Contents still differ after a full exchange.
        case diverged = 12
        /// The peer holds a newer store than its program can read, or the like.
        case refused = 13
        /// The speaker holds deletes on a great scale until a person has said that they are meant.
        case deletesHeld = 14
    }

    /// Whose side has to act.
    package enum Side: UInt64, Hashable, Sendable {
        /// The side that says so.
        case speaker = 0
        /// The side that hears it.
        case hearer = 1
        /// Neither alone: both must agree.
        case both = 2
    }

    /// The number of what went wrong.
    package let code: UInt64
    /// What went wrong, in words.
    package let message: String
    /// Whose side has to act.
    package let side: Side
    /// What to do next, in words.
    package let advice: String

    /// An error of a known kind.
    package init(_ code: Code, _ message: String, side: Side, advice: String) {
        self.init(code: code.rawValue, message: message, side: side, advice: advice)
    }

    /// An error of any number.
    package init(code: UInt64, message: String, side: Side, advice: String) {
        self.code = code
        self.message = message
        self.side = side
        self.advice = advice
    }

    /// What kind it is; nil if it comes from a newer version.
    package var known: Code? { Code(rawValue: code) }

    package var description: String { "\(message) (\(advice))" }
}
