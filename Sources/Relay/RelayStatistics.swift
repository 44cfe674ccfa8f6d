/// What a relay has done since it started, and what it holds, for its metrics.
package struct RelayStatistics: Hashable, Sendable {
    /// Conversations that are going on.
    package var sessionCount = 0
    /// Conversations that were ever begun.
    package var openedSessionCount = 0
    /// Approaches that were answered with a welcome.
    package var welcomedCount = 0
    /// Spaces that have a file.
    package var spaceCount = 0
    /// Spaces whose file is open.
    package var openSpaceCount = 0
    /// Bytes of the spaces that were opened since the start, as the quota counts them.
    package var storedByteCount = 0
    /// Versions of records in these spaces.
    package var storedVersionCount = 0
    /// Records in these spaces.
    package var storedRecordCount = 0
    /// Bytes that came.
    package var receivedByteCount = 0
    /// Bytes that were given to links.
    package var sentByteCount = 0
    /// Bytes of half-received frames and bodies.
    package var heldByteCount = 0
    /// Changes that came.
    package var receivedChangeCount = 0
    /// Changes of these that were kept.
    package var keptChangeCount = 0
    /// Changes that were sent; one to ten subscribers counts ten times.
    package var sentChangeCount = 0
    /// Batches and statements of devices that were acknowledged.
    package var acknowledgedCount = 0
    /// Times that a batch or the end of a run was encoded, for however many subscribers.
    package var encodedCount = 0
    /// Transactions.
    package var commitCount = 0
    /// Times that a log was flushed to the disk.
    package var flushCount = 0
    /// Refusals by reason.
    package var refusals: [RelayRefusal.Reason: Int] = [:]

    /// Nothing was done yet.
    package init() {}
}
