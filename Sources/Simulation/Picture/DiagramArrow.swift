/// One message, or several of one conversation, as they are drawn.
struct DiagramArrow {
    /// How it ends.
    enum End {
        /// It arrived.
        case arrives
        /// It was lost.
        case lost
        /// The story ended first.
        case underway
    }

    /// The lanes; a lane that is no device's lies beyond the last one.
    var from: Int
    var to: Int
    /// The rows between which it is drawn; an exchange lies in one.
    var start: Int
    var finish: Int
    var end: End
    /// Whether messages went the other way too.
    var goesBothWays = false
    /// The messages in it, each in words.
    var messages: [String] = []
    /// Their kinds, each once.
    var kinds: [String] = []
    var byteCount = 0
    /// Why it was lost.
    var reason = ""
    /// The first moment of it.
    var moment: Int

    mutating func add(_ words: String, kind: String, byteCount: Int) {
        messages.append(words)
        if !kinds.contains(kind) { kinds.append(kind) }
        self.byteCount += byteCount
    }

    /// Whether it stands for an exchange within one row.
    var isExchange: Bool { start == finish && end == .arrives }
}
