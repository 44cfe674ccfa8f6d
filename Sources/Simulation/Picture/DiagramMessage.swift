/// A message of a chronicle: who sent it, and what became of it.
struct DiagramMessage {
    var number: Int
    var from: Int
    var to: Int
    var kind: String
    var byteCount: Int
    /// When it left.
    var time: Int64
    /// When it arrived, or was lost.
    var endTime: Int64?
    /// Why it was lost.
    var loss: String?
}
