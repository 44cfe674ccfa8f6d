/// A response's body that grows: server-sent events.
///
/// Belongs to the thread of the event loop.
package final class HTTPStream {
    /// The most bytes that wait to be sent; a reader that falls further behind is cut off.
    package static let waitingByteCountMax = 1 << 20

    /// The bytes that the server has not sent yet.
    package private(set) var waiting: [UInt8] = []
    /// Whether it has ended, from whichever side.
    package private(set) var isClosed = false
    /// Whether it was closed because more than `waitingByteCountMax` bytes waited.
    package private(set) var isOverrun = false
    /// Called when there are bytes to send, or it was closed from this side: the server's.
    package var wake: (() -> Void)?
    /// Called once when the connection has ended from whichever side.
    package var ended: (() -> Void)?

    /// A stream that nobody reads yet.
    package init() {}

    /// Sends more bytes.
    ///
    /// - Returns: whether there is still a reader.
    @discardableResult
    package func send(_ bytes: some Sequence<UInt8>) -> Bool {
        guard !isClosed else { return false }
        waiting += bytes
        if waiting.count > Self.waitingByteCountMax {
            isOverrun = true
            close()
            return false
        }
        wake?()
        return true
    }

    /// Takes up to so many bytes, for sending.
    package func take(_ countMax: Int) -> [UInt8] {
        let taken = Array(waiting.prefix(countMax))
        waiting.removeFirst(taken.count)
        return taken
    }

    /// Ends the body.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        wake?()
        let ended = ended
        self.ended = nil
        ended?()
    }
}
