import Core

/// Which of two versions of a record replaces the other.
package enum RelayCovering {
    /// Whether a version takes the place of another one of its record.
    ///
    /// - Parameter isUnreadable: whether a device could not open the version.
    package static func replaces(
        _ version: Change, _ other: Change, isUnreadable: Bool = false
    ) -> Bool {
        replaces(
            version.clock, version.isDeferred, isUnreadable, other.clock, other.isDeferred,
            version.body == other.body)
    }

    /// Whether a version takes the place of another one, by their clocks and marks.
    ///
    /// A version that can be read is never dropped for one that was deferred: devices that cannot read that either
    /// have nothing else. With one clock and two bodies both stay: one name was given to two writes, and devices
    /// that get both keep both; or the relay damaged one of them.
    ///
    /// A version that a device could not open takes no place but that of its own copy, so that devices can upload again
    /// what it covers. Nothing else follows from what a device says it cannot open: a device that lies about it has the
    /// relay keep more, never less.
    static func replaces(
        _ clock: VersionVector, _ isDeferred: Bool, _ isUnreadable: Bool, _ other: VersionVector,
        _ isOtherDeferred: Bool, _ isSameBody: Bool
    ) -> Bool {
        guard clock.covers(other) else { return false }
        if isUnreadable {
            return isSameBody && other.covers(clock) && isDeferred == isOtherDeferred
        }
        if isDeferred != isOtherDeferred { return isOtherDeferred }
        return isSameBody || !other.covers(clock)
    }
}

/// A limit of a space at a relay.
package enum RelayQuota: Hashable, Sendable {
    /// Bytes.
    case bytes
    /// Records.
    case records
    /// Concurrent versions of a record.
    case versions
    /// All versions of a record, those that a device could not open included.
    case storedVersions

    /// The versions of a record that a new version meets, as quotas count them.
    package struct Versions {
        /// The versions there.
        package var count = 0
        /// The versions that count against the same quota as the new one: all deferred, or all not; none that a device
        /// could not open.
        package var kindCount = 0
        /// How many of these the new one replaces.
        package var replacedKindCount = 0
        /// How many of all the new one replaces.
        package var replacedCount = 0
        /// The bytes of all that it replaces.
        package var freedByteCount = 0

        /// A record that is not there.
        package init() {}
    }

    /// The quota that stands against a version; one that makes the space no larger is always taken.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes of the space now.
    ///   - recordCount: the records of the space now.
    package static func against(
        _ change: Change, _ versions: Versions, byteCount: Int, recordCount: Int,
        _ limits: RelayLimits
    ) -> RelayQuota? {
        let growth = Self.byteCount(of: change) - versions.freedByteCount
        if growth > 0, byteCount + growth > limits.spaceByteCountMax { return .bytes }
        if versions.count == 0, recordCount >= limits.spaceRecordCountMax { return .records }
        // Deferred versions never use up the quota of readable ones.
        let count = versions.kindCount - versions.replacedKindCount + 1
        if count > max(versions.kindCount, limits.recordVersionCountMax) { return .versions }
        let storedCount = versions.count - versions.replacedCount + 1
        if storedCount > max(versions.count, limits.storedVersionCountMax) {
            return .storedVersions
        }
        return nil
    }

    // MARK: What counts

    /// Returns the bytes that a version counts in the quota.
    package static func byteCount(of change: Change) -> Int {
        byteCount(body: change.body.count, clockEntries: change.clock.entries.count)
    }

    /// Returns the bytes that a version with a body and a clock of these sizes counts in the quota.
    package static func byteCount(body: Int, clockEntries: Int) -> Int {
        body + rowByteCount + clockEntries * 24
    }

    /// The bytes that a version counts for its id.
    static let rowByteCount = 16
    /// The bytes that a summary row counts for its key, number and arrival number.
    static let summaryRowByteCount = 48

    /// Returns the bytes that a summary row with content of some bytes counts in the quota.
    package static func byteCount(ofRow byteCount: Int) -> Int { byteCount + summaryRowByteCount }

    /// Returns the bytes that a rekey message counts in the quota.
    package static func byteCount(ofRekeyMessage byteCount: Int) -> Int { byteCount + 64 }
}
