/// Bytes on their way.
struct Packet {
    var bytes: [UInt8]
    /// The message that they end, counted through the world; nil if more of it follows.
    var message: Int?
    /// Whether it is a sign of life: of live sessions on slow ways one or another is always under way.
    var isSignOfLife = false
}
