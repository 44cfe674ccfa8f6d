import Core
import Storage

/// A version as a store has it, without its body.
package struct RelayStoredVersion {
    /// Its arrival number.
    package let sequence: UInt64
    /// Its clock.
    package let clock: VersionVector
    /// The length of its body.
    package let bodyByteCount: Int
    /// The hash under which it came, or was last said to be unreadable; nil if it came before these were kept.
    package let hash: UInt128?
    /// Whether the device that uploaded it has deferred it.
    package let isDeferred: Bool
    /// Whether a device could not open it.
    package let isUnreadable: Bool

    /// A version of which all but the body was read.
    package init(
        sequence: UInt64, clock: VersionVector, bodyByteCount: Int, hash: UInt128?,
        isDeferred: Bool, isUnreadable: Bool
    ) {
        self.sequence = sequence
        self.clock = clock
        self.bodyByteCount = bodyByteCount
        self.hash = hash
        self.isDeferred = isDeferred
        self.isUnreadable = isUnreadable
    }

    /// Whether it may be a copy of an uploaded version, so that the bodies are to be compared.
    ///
    /// Only of one that came under the same mark is the body read: the disk may have damaged it since.
    package func mayBeCopy(of change: Change, _ mark: VersionMark) -> Bool {
        bodyByteCount == change.body.count && (hash ?? mark.hash) == mark.hash
            && clock == change.clock
    }
}

/// The versions of a record as a new one finds them.
package struct RelayNeighbours {
    /// How quotas count them.
    package private(set) var versions = RelayQuota.Versions()
    /// The arrival numbers of those that the new one replaces.
    package private(set) var replaced: [UInt64] = []

    /// Finds what a version meets among those of its record; nil if one of them replaces it.
    ///
    /// - Parameter isCopy: whether a version has the clock and the body of the new one.
    package init?(
        of change: Change, among known: [RelayStoredVersion],
        isCopy: (RelayStoredVersion) throws(StoreFault) -> Bool
    ) throws(StoreFault) {
        versions.count = known.count
        for version in known {
            let isSameKind = version.isDeferred == change.isDeferred && !version.isUnreadable
            let isSameBody = try isCopy(version)
            if isSameKind { versions.kindCount += 1 }
            if RelayCovering.replaces(
                version.clock, version.isDeferred, version.isUnreadable, change.clock,
                change.isDeferred, isSameBody)
            {
                return nil
            }
            guard
                RelayCovering.replaces(
                    change.clock, change.isDeferred, false, version.clock, version.isDeferred,
                    isSameBody)
            else { continue }
            replaced.append(version.sequence)
            versions.replacedCount += 1
            if isSameKind { versions.replacedKindCount += 1 }
            versions.freedByteCount += RelayQuota.byteCount(
                body: version.bodyByteCount, clockEntries: version.clock.entries.count)
        }
    }
}
