import Core
import Replica
import Session

/// A connection between two devices of the made-up world: two queues of bytes.
struct SyncLink {
    /// One end.
    struct End {
        let device: Int
        let conversation: ConversationID
        /// Bytes on their way to this end.
        var incoming: [UInt8] = []
        var end: SessionEnd?
        var report = SessionReport()
        var wake: Instant?
        var sentByteCount = 0
    }

    var ends: [End]
    let isLive: Bool
    /// Whether bytes were changed on the way.
    var isCorrupted = false

    /// Whether both ends are closed.
    var isOver: Bool { ends[0].end != nil && ends[1].end != nil }
    /// Whether nothing is on its way.
    var isQuiet: Bool { ends[0].incoming.isEmpty && ends[1].incoming.isEmpty }
}
