import Core

/// That nothing more is taken in a session, as deletes are held in it.
struct DeletionHold: Sendable {
    /// From when on something new is a reason to start over: by then they may have been taken back.
    let retryAt: Instant
    /// Whether something came since then that was passed over.
    var hasNews = false
    /// When to start over; nil if there is no reason.
    var startOverAt: Instant? { hasNews ? retryAt : nil }

    /// Held from now on.
    init(at now: Instant, _ limits: SessionLimits) {
        retryAt = now.advanced(byMilliseconds: limits.heldRetryMilliseconds)
    }
}
