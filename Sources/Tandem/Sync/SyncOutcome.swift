import Session

/// How a sync with a device or a relay went.
public struct SyncOutcome: Hashable, Sendable {
    /// How many records were received.
    public let receivedCount: Int
    /// How many of these changed something here.
    public let changedCount: Int
    /// How many records were sent.
    public let sentCount: Int
    /// How many records could not be read, and were deferred; they are kept, passed on, and tried again
    /// whenever the store is opened.
    public let deferredCount: Int
    /// Whether the other side says that it has writes which it does not send.
    public let isWithheld: Bool

    init(_ report: SessionReport) {
        receivedCount = report.receivedCount
        changedCount = report.changedCount
        sentCount = report.sentCount
        deferredCount = report.deferredCount
        isWithheld = report.isWithheld
    }
}
