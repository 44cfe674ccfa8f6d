/// Carries a value of the loop's thread through other threads, which cannot look inside.
///
/// Unchecked: `value(on:)` is the only way in, and it traps on any thread but the loop's.
package final class LoopBound<Value>: @unchecked Sendable {
    private let value: Value
    private let mailbox: LoopMailbox

    /// Wraps a value; call it on the thread of `loop`.
    package init(_ value: Value, on loop: EventLoop) {
        loop.checkThread()
        self.value = value
        mailbox = loop.mailbox
    }

    /// The value, on the thread of the loop it was wrapped on and nowhere else.
    package func value(on loop: EventLoop) -> Value {
        precondition(loop.mailbox === mailbox, "the value belongs to another loop")
        loop.checkThread()
        return value
    }
}
