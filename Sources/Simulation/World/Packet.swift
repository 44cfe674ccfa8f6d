/// Bytes on their way.
struct Packet {
    var bytes: [UInt8]
    /// The message that they end, counted through the world; nil if more of it follows.
    var message: Int?
}
