import Core
import Storage
import Transport

/// The cause for which a contact ended: a code with its numbers, and words for display.
public struct ContactCause: Hashable, Sendable {
    /// The code: `ended`, `lost`, `peer-error`, or that of a fault of the transport or the store.
    public let code: String
    /// The number of a `peer-error`, or that of a system call's error; nil for others.
    public let number: Int64?
    /// The number of the cause of a `peer-error`; nil where its number says all.
    public let reason: UInt64?
    /// The cause in words, which may be those of another device or a relay: they are shown, and nothing goes by them.
    public let words: String

    /// A cause as it is read or made.
    init(code: String, number: Int64? = nil, reason: UInt64? = nil, words: String) {
        self.code = code
        self.number = number
        self.reason = reason
        self.words = words
    }

    /// The other side has ended the session in order.
    static let ended = ContactCause(
        code: "ended", words: "the other side has ended the session")
    /// The connection broke.
    static let lost = ContactCause(code: "lost", words: "the connection broke")

    /// An error that one side told the other.
    ///
    /// - Parameter hasAdvice: whether the words say the next step as well.
    init(_ error: PeerError, hasAdvice: Bool) {
        self.init(
            code: "peer-error", number: Int64(clamping: error.code), reason: error.reasonNumber,
            words: hasAdvice ? "\(error)" : error.message)
    }

    /// A fault of the transport.
    ///
    /// - Parameter hasAdvice: whether the words say the next step as well.
    init(_ error: TransportError, hasAdvice: Bool) {
        var number: Int64?
        if case .failedCall(_, let code, _) = error { number = Int64(code) }
        self.init(
            code: error.code, number: number, words: hasAdvice ? "\(error)" : error.summary)
    }

    /// A fault of this device's store.
    init(_ fault: StoreFault) {
        self.init(code: fault.code, words: "\(fault)")
    }
}
