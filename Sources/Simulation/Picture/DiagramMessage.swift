/// What became of one message.
struct DiagramMessage {
    /// The lanes; `to` may be the number of no device.
    var from: Int?
    var to: Int
    var kind: String
    var byteCount: Int
    /// Places in the chronicle.
    var sent: Int
    var received: Int?
    var lost: Int?
    /// Why it was lost.
    var reason = ""
    /// Whether what was in it changed a record.
    var isCarrying = false
}
