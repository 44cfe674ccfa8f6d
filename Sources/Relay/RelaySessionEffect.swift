import Core
import Session

/// What one conversation asks for; answers come back as events.
enum RelaySessionEffect {
    case send(Message)
    case deliver(RelayParcel)
    case admit(Approach)
    /// Keep this until the next commit, in the order of arrival.
    case queue(RelayUploadItem)
    case read(RelayReadRequest)
    case wake(at: Instant)
    case close(SessionEnd, RelayRefusal?)
}
