/// The limits of a server of HTTP.
package struct HTTPLimits: Sendable {
    /// The longest head of a request, from its first byte to the empty line, in bytes.
    ///
    /// Longer ones get 431.
    package var headByteCountMax = 16 << 10
    /// The most fields in the head of a request.
    ///
    /// More get 431.
    package var fieldCountMax = 100
    /// The longest body of a request, in bytes.
    ///
    /// Longer ones get 413.
    package var bodyByteCountMax = 16 << 20
    /// The most connections at a time.
    ///
    /// Further ones wait to be accepted.
    package var connectionCountMax = 384
    /// The most connections at a time from one address.
    ///
    /// Further ones are closed without an answer.
    package var addressConnectionCountMax = 256
    /// How many places are kept free, of all and of those of each network, by cutting the oldest connection of a client
    /// that has not proved who it is and is not being answered; 0 to cut none.
    ///
    /// A crowd that connects and says nothing then keeps nobody out, not even from one address. The library may accept
    /// twice ten connections before it closes those that were cut: fewer places than 20 of one address are not always free.
    package var spareConnectionCount = 0
    /// The most bytes of all requests' and responses' bodies that are held at a time.
    ///
    /// Above it requests get 503.
    package var memoryByteCountMax = 64 << 20
    /// How long after the connection's start, or after the former response, a request may take to be complete.
    ///
    /// The connection is cut then.
    package var requestMax = Duration.seconds(30)
    /// How long a connection may pass no byte in either direction, in whole seconds.
    ///
    /// It is closed then.
    package var idleMax = Duration.seconds(20)
    /// How long the client may take to read a response.
    ///
    /// The connection is cut then; a stream has no such limit before its end.
    package var responseMax = Duration.seconds(120)

    /// The usual limits.
    package init() {}
}

/// The one budget of memory that all connections of a server share.
struct HTTPMemory {
    let byteCountMax: Int
    private(set) var byteCount = 0

    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// Takes note that one holder now holds another number of bytes.
    ///
    /// - Returns: whether the budget allows that; if not, nothing is noted. Less is always allowed.
    mutating func change(from old: Int, to new: Int) -> Bool {
        let (changed, isTooMuch) = (byteCount - old).addingReportingOverflow(new)
        guard new <= old || !isTooMuch && changed <= byteCountMax else { return false }
        byteCount = changed
        return true
    }
}
