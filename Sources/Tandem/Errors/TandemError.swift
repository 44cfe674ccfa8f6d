import Storage

/// An error: the cause, the side that has to act, and the next step.
///
/// Every error of this module is one of these; a closure that is given to ``Store/write(_:)`` may throw
/// others, which are passed on.
public struct TandemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names a kind of error; later versions may have more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code in words, as it stands in logs.
        public let description: String
    }

    /// The side that has to act.
    public enum Side: Hashable, Sendable {
        /// The program that called: its code is to be mended.
        case app
        /// The person: what was asked for cannot be done as things are.
        case user
        /// This machine: its disk, its permissions, another program on it.
        case machine
        /// The other device or the relay.
        case peer
    }

    /// Which kind of error it is.
    public let code: Code
    /// The cause, in words.
    public let what: String
    /// The side that has to act.
    public let side: Side
    /// The next step, in words.
    public let next: String

    /// Both, in one line.
    public var description: String { next.isEmpty ? what : "\(what); \(next)" }

    init(_ code: Code, _ what: String, side: Side, next: String) {
        self.code = code
        self.what = what
        self.side = side
        self.next = next
    }
}
