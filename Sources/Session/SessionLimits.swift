import Core

/// How long a session waits and how much it keeps at a time.
package struct SessionLimits: Hashable, Sendable {
    /// The longest wait for each step of the greeting: a hello, a peer checkpoint, a history.
    package var greetingTimeoutMilliseconds: Int64 = 10_000
    /// The longest time without a message from the peer.
    package var silenceTimeoutMilliseconds: Int64 = 30_000
    /// A ping goes out when nothing was sent for so long.
    package var pingIntervalMilliseconds: Int64 = 10_000
    /// The longest wait for acknowledgements when this side wants to leave.
    package var drainTimeoutMilliseconds: Int64 = 5_000
    /// The longest wait for the next batch while records were asked for whole.
    package var wantTimeoutMilliseconds: Int64 = 30_000
    /// The longest time that own commits wait for the state summary of a peer that is sending.
    package var echoHoldMilliseconds: Int64 = 1_000
    /// How long after received changes this side tells its new state summary.
    package var restateMilliseconds: Int64 = 5
    /// The most batches that may be on their way without an acknowledgement.
    package var windowBatchCount = WireLimits.windowBatchCount
    /// No further batch leaves while so many bytes are on their way without an acknowledgement.
    package var windowByteCountMax = WireLimits.windowBatchCount * WireLimits.batchByteCountMax
    /// The most bytes of bodies in one read; one longer body is read alone.
    package var batchByteCountMax = WireLimits.batchByteCountMax
    /// No further batch leaves while the link holds more bytes than this.
    package var sendQueueByteCountMax = 4 * 1024 * 1024
    /// The most bytes of bodies received and not yet integrated: one of the longest and a window.
    package var receivedByteCountMax =
        WireLimits.bodyByteCountMax
        + WireLimits.windowBatchCount * WireLimits.frameByteCountMax
    /// The most entries of a peer's state summary beyond as many as this side has.
    ///
    /// They are in memory as long as the session. No fewer than one clock may name, or a single write would part two
    /// devices for good.
    package var summaryEntryCountMax = WireLimits.clockEntryCountMax
    /// The most records to read whole at a time.
    package var wantedPerReadMax = 16
    /// The most records that may be missing at a time.
    package var missingRecordCountMax = 262_144
    /// The most records that came from a relay and are remembered, so that they are not sent back.
    package var echoCountMax = 262_144
    /// The most records that a relay may lack for a store still to count as read from it: some few are made
    /// with a store.
    package var lackingCountMax = 64
    /// How long after deletes were held a live session starts over once something new comes: by then they may
    /// have been taken back.
    package var heldRetryMilliseconds: Int64 = 60_000
    /// How long after a whole summary was stated at a relay the next one is; in between goes what this device writes.
    package var wholeStatingMilliseconds: Int64 = 30_000
    /// The most messages `download-done` of a relay that may wait for the store.
    package var downloadDoneCountMax = 64
    /// The most records to ask for whole at a time.
    package var wantedPerMessageMax = 1024

    /// The usual limits.
    package init() {}

    /// Refuses a state summary with more entries than a session keeps beyond those of this side.
    func checkSummary(count: Int, beside ownCount: Int) throws(PeerError) {
        guard count - ownCount <= summaryEntryCountMax else {
            throw .overLimit(
                "entries of a state summary beyond those of the hearer", max: summaryEntryCountMax)
        }
    }
}
