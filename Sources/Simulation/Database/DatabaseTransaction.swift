import Core
import Relay
import Storage

/// An open transaction of one space in a simulated database, which holds the lock of the space's row.
///
/// It works on the rows as they are once the lock is free. What it changes is kept as a list, which comes into the
/// database's log at the commit.
final class DatabaseTransaction: RelayTransaction {
    /// The rows, changed so far.
    private(set) var rows: DatabaseSpace
    /// The changes, in order.
    private(set) var changes: [DatabaseSpace.Row] = []
    private let before: DatabaseSpace.Head
    private let opening: Int
    private let origin: Int
    private let drawBits: () -> UInt64

    /// A transaction on a space.
    ///
    /// - Parameters:
    ///   - opening: which opening of a store writes.
    ///   - origin: which start of a server it writes to.
    init(
        on rows: DatabaseSpace, opening: Int, origin: Int, drawBits: @escaping () -> UInt64
    ) {
        self.rows = rows
        before = rows.head
        self.opening = opening
        self.origin = origin
        self.drawBits = drawBits
    }

    var sequence: UInt64 { rows.head.sequence }
    var epoch: EpochID { rows.epoch }
    var byteCount: Int { rows.head.byteCount }
    private var recordCount: Int { rows.head.recordCount }

    /// Changes rows.
    func write(_ change: DatabaseSpace.Row) {
        rows.apply(change)
        changes.append(change)
    }

    /// Begins an epoch, if the last one is not of this opening or a later one, on the same start of the server.
    func beginEpochIfDue() {
        if rows.head.opening >= opening, rows.head.origin == origin, !rows.epochs.isEmpty { return }
        write(.epoch(RelayEpoch(bits: drawBits(), firstSequence: sequence)))
        rows.head.opening = opening
        rows.head.origin = origin
    }

    /// The next arrival number.
    ///
    /// It stands in the row of the space from the commit on: whoever gives the next one has waited for that.
    private func next() -> UInt64 {
        beginEpochIfDue()
        rows.head.sequence += 1
        return rows.head.sequence
    }

    // MARK: Versions

    func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        let others = rows.versions.filter { $0.change.name == change.name }
        let isCovered = others.contains {
            RelayCovering.replaces($0.change, change, isUnreadable: $0.unreadable != nil)
        }
        if isCovered { return .covered }
        let gone = others.filter { RelayCovering.replaces(change, $0.change) }
        let isSameKind = { (version: DatabaseSpace.Version) in
            version.change.isDeferred == change.isDeferred && version.unreadable == nil
        }
        var found = RelayQuota.Versions()
        found.count = others.count
        found.kindCount = others.count(where: isSameKind)
        found.replacedKindCount = gone.count(where: isSameKind)
        found.replacedCount = gone.count
        found.freedByteCount = gone.reduce(0) { $0 + RelayQuota.byteCount(of: $1.change) }
        let quota = RelayQuota.against(
            change, found, byteCount: byteCount, recordCount: recordCount, limits)
        if let quota { return .refused(quota) }
        let sequence = next()
        if !gone.isEmpty { write(.dropped(gone.map(\.sequence))) }
        write(.version(sequence, change))
        rows.head.byteCount += RelayQuota.byteCount(of: change) - found.freedByteCount
        rows.head.versionCount += 1 - gone.count
        if others.isEmpty { rows.head.recordCount += 1 }
        return .kept(sequence, replaced: gone.map(\.sequence))
    }

    func noteUnreadable(_ marks: [VersionMark]) throws(StoreFault) -> [RelayNoteOutcome] {
        marks.map { note($0) }
    }

    private func note(_ mark: VersionMark) -> RelayNoteOutcome {
        let found = rows.versions.filter { VersionMark(of: $0.change) == mark }
        guard let version = found.first(where: { $0.unreadable == nil }) else {
            return found.isEmpty ? .absent : .known
        }
        let sequence = next()
        write(.unreadable(version.sequence, under: sequence))
        return .noted(sequence)
    }

    // MARK: What devices state

    func noteUploaded(
        _ checkpoint: Checkpoint, by replica: ReplicaID, limits: RelayLimits
    ) throws(StoreFault) {
        write(
            .uploaded(
                replica, checkpoint, arrival: sequence, countMax: limits.spaceReplicaCountMax))
    }

    func put(_ row: SummaryRow, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        let known = rows.rows.first { $0.row.key == row.key }?.row
        if row.isCovered(by: known) { return .covered }
        let growth =
            RelayQuota.byteCount(ofRow: row.bytes.count)
            - (known.map { RelayQuota.byteCount(ofRow: $0.bytes.count) } ?? 0)
        if growth > 0, byteCount + growth > limits.spaceByteCountMax { return .refused(.bytes) }
        let sequence = next()
        write(.summary(RelayRows.Numbered(sequence: sequence, row: row)))
        rows.head.byteCount += growth
        return .kept(sequence, replaced: [])
    }

    func putRekeyMessage(
        _ rekeyMessage: RekeyMessage, limits: RelayLimits
    ) throws(StoreFault) -> Bool {
        let head = rows.head
        guard rekeyMessage.generation <= head.generation, head.generation > 0,
            rekeyMessage.verifier != head.verifier
        else { return false }
        if rows.rekeyMessages.contains(rekeyMessage) { return true }
        let old = rows.rekeyMessages.first { $0.verifier == rekeyMessage.verifier }
        let growth = Self.byteCount(of: rekeyMessage) - (old.map(Self.byteCount) ?? 0)
        if growth > 0, byteCount + growth > limits.spaceByteCountMax { return false }
        write(.rekeyMessage(rekeyMessage))
        rows.head.byteCount += growth
        while rows.rekeyMessages.count > WireLimits.rekeyMessageCountMax,
            let oldest = rows.rekeyMessages.min(by: { $0.generation < $1.generation })
        {
            write(.droppedRekeyMessage(verifier: oldest.verifier))
            rows.head.byteCount -= Self.byteCount(of: oldest)
        }
        return rows.rekeyMessages.contains(rekeyMessage)
    }

    private static func byteCount(of rekeyMessage: RekeyMessage) -> Int {
        RelayQuota.byteCount(ofRekeyMessage: rekeyMessage.bytes.count)
    }

    // MARK: The end

    /// All changes, the row of the space last; nothing if there are none.
    var committed: [DatabaseSpace.Row] {
        if changes.isEmpty { return [] }
        let after = rows.head
        return changes + [
            .grown(
                byteCount: after.byteCount - before.byteCount,
                recordCount: after.recordCount - before.recordCount,
                versionCount: after.versionCount - before.versionCount, after)
        ]
    }
}
