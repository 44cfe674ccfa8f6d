import Session
import Wire

/// One session with the bytes it waits for.
struct Conversation {
    var session: SyncSession
    var decoder = FrameDecoder()
    let hasChecksum: Bool
}
