import Core
import Replica
import Session

/// A relay as the protocol's page has it, in the plainest words; and one that lies, if told to.
final class NaiveRelay {
    /// How it lies.
    enum Lie: CaseIterable {
        /// Keeps changes to itself.
        case withholds
        /// Sends everything twice, the newest first.
        case repeats
        /// Changes a byte of bodies.
        case tampers
        /// Sends a body under another record's id.
        case swapsRecords
        /// Sends a body under a later clock.
        case raisesClocks
        /// Forwards the first row of each key for ever.
        case replaysRows
        /// Forwards a row's content under the key of another.
        case swapsRows
        /// Keeps rows to itself.
        case withholdsRows
        /// Gives a sum that its rows do not have.
        case givesFalseSums
        /// Says that it has all that the device ever wrote.
        case claimsUploads
        /// Says that the device has read all there is.
        case claimsReads
    }

    private struct Version {
        var change: Change
        let sequence: UInt64
        /// The number under which a device said that it cannot open it.
        var unreadable: UInt64?
    }

    private struct Row {
        var row: SummaryRow
        /// The first that came of its key.
        var first: SummaryRow
        var sequence: UInt64
    }

    private var id = ReplicaID(value: 0xfeed << 100)
    private let epoch = EpochID(value: 41)
    /// That of checkpoints in the middle of a run.
    private let middleEpoch = EpochID(value: 40)
    private var sequence: UInt64 = 0
    private var versions: [Version] = []
    private var rows: [SummaryRow.Key: Row] = [:]
    private var uploads: [ReplicaID: Checkpoint] = [:]
    /// How it lies now.
    var lie: Lie?
    /// How many changes came.
    private(set) var receivedCount = 0
    /// How many changes left.
    private(set) var sentCount = 0

    /// How many summary rows are kept.
    var rowCount: Int { rows.count }
    /// The sum of the rows, as it is told.
    private var rowSum: UInt128 {
        rows.values.reduce(lie == .givesFalseSums ? 1 : 0) { $0 &+ $1.row.hash }
    }
    /// How many versions are kept.
    var versionCount: Int { versions.count }
    /// All that it has, one after the other.
    var bytes: [UInt8] { versions.flatMap(\.change.body) + rows.values.flatMap(\.row.bytes) }

    /// A member of the space states a row.
    func state(_ row: SummaryRow) {
        sequence += 1
        rows[row.key] = Row(row: row, first: row, sequence: sequence)
    }

    /// The versions that it keeps to itself, by arrival number.
    private var hidden: Set<UInt64> = []

    /// Loses the version that came last.
    func loseLastVersion() { versions.removeLast() }

    /// Keeps the version that came last to itself.
    func hideLastVersion() { hidden = Set(versions.suffix(1).map(\.sequence)) }

    /// Keeps no version to itself any more.
    func hideNothing() { hidden = [] }

    /// Loses a row.
    func lose(_ key: SummaryRow.Key) { rows[key] = nil }

    /// The rows of a device.
    func rows(of replica: ReplicaID) -> [SummaryRow] {
        rows.values.map(\.row).filter { $0.key.replica == replica }.sorted { $0.key < $1.key }
    }

    /// Loses everything.
    func wipe() {
        id = ReplicaID(value: id.value + 1)
        (versions, rows, uploads, sequence) = ([], [:], [:], 0)
    }

    /// Another bit stands in the middle of each version's body.
    func damage(_ count: Int = .max) {
        for index in versions.indices.prefix(count) {
            let change = versions[index].change
            var body = change.body
            body[body.count / 2] ^= 1
            versions[index].change = Change(change.name, clock: change.clock, body: body)
        }
    }

    /// A member of the space uploads a version of each record that nobody can open.
    ///
    /// - Parameter isLater: whether its clock includes that of the version there.
    func forge(isLater: Bool) {
        for version in versions {
            var clock = version.change.clock
            if isLater { clock.set(9, of: ReplicaID(value: 0xbad)) }
            _ = put(
                Change(version.change.name, clock: clock, body: [UInt8](repeating: 0xff, count: 40))
            )
        }
    }

    /// Has all that came, and no longer knows how much of it came from whom.
    func forgetUploads() { uploads = [:] }

    /// Becomes what it was before a device said that it cannot open something, and does not know of it.
    func forgetWords() {
        for index in versions.indices { versions[index].unreadable = nil }
        sequence = versions.map(\.sequence).max() ?? 0
        (rows, uploads) = ([:], [:])
    }

    /// Becomes what it was when it had so many versions, and does not know of it.
    func setBack(toVersions count: Int) {
        versions.removeLast(versions.count - count)
        sequence = versions.last?.sequence ?? 0
        (rows, uploads) = ([:], [:])
    }

    /// One session with a device.
    final class Visit {
        private let relay: NaiveRelay
        private var replica = ReplicaID(value: 0)
        private var cursor: UInt64 = 0
        private var acknowledgedCount: UInt64 = 0
        private var own: Set<UInt64> = []
        private var hasStood = false
        /// Rows behind this number are news to the device.
        private var rowsAfter: UInt64 = 0

        init(_ relay: NaiveRelay) {
            self.relay = relay
        }

        /// Answers one message.
        func answer(_ message: Message) -> [Message] {
            switch message {
            case .relayHello(let relayHello):
                replica = relayHello.replica
                if let read = relayHello.read, read.relay == relay.id,
                    [relay.epoch, relay.middleEpoch].contains(read.checkpoint.epoch)
                {
                    cursor = min(read.checkpoint.sequence, relay.sequence)
                    let hasHeard =
                        cursor == read.checkpoint.sequence && read.checkpoint.epoch == relay.epoch
                    rowsAfter = hasHeard ? cursor : 0
                }
                if relay.lie == .claimsReads { cursor = relay.sequence }
                var uploaded = relay.uploads[replica]
                if relay.lie == .claimsUploads, let known = uploaded {
                    uploaded = Checkpoint(epoch: known.epoch, sequence: known.sequence + 1000)
                }
                return [
                    .relayHelloReply(
                        RelayHelloReply(
                            relay: relay.id,
                            start: Checkpoint(epoch: relay.epoch, sequence: cursor),
                            reached: relay.sequence, uploaded: uploaded))
                ] + deliver()
            case .changes(let batch):
                for change in batch.changes { if let new = relay.put(change) { own.insert(new) } }
                if let through = batch.through { relay.uploads[replica] = through }
                acknowledgedCount += 1
                return deliver() + [.acknowledge(acknowledgedCount)]
            case .uploadDone(let upload):
                for row in upload.rows {
                    let known = relay.rows[row.key]
                    if let known, known.row == row || known.row.number > row.number { continue }
                    relay.sequence += 1
                    relay.rows[row.key] = Row(
                        row: row, first: known?.first ?? row, sequence: relay.sequence)
                }
                relay.uploads[replica] = upload.through
                acknowledgedCount += 1
                return deliver() + [.acknowledge(acknowledgedCount)]
            case .unreadable(let versions):
                let (kept, unknown) = relay.note(versions.marks, &own)
                acknowledgedCount += 1
                return [
                    .unreadable(UnreadableVersions(kept, unknown: unknown)),
                    .acknowledge(acknowledgedCount),
                ] + deliver()
            default: return []
            }
        }

        /// Returns the changes that this device lacks, at most four in a batch.
        private func deliver() -> [Message] {
            let (start, rowStart) = (cursor, rowsAfter)
            cursor = relay.sequence
            rowsAfter = cursor
            if hasStood, cursor == start { return [] }
            hasStood = true
            let said = relay.versions.filter { version in
                version.unreadable.map { $0 > start && !own.contains($0) } ?? false
            }
            var fresh = relay.versions.filter { $0.sequence > start && !own.contains($0.sequence) }
            var told = relay.rows.values.filter { $0.sequence > rowStart }
                .sorted { $0.row.key < $1.row.key }
            fresh.removeAll { relay.hidden.contains($0.sequence) }
            relay.falsify(&fresh, &told)
            relay.sentCount += fresh.count
            var messages: [Message] = UnreadableVersions.messages(
                said.map { VersionMark(of: $0.change) }
            ).map { .unreadable($0) }
            for index in stride(from: 0, to: fresh.count, by: 4) {
                let part = fresh[index..<min(index + 4, fresh.count)]
                let reached = part.last?.sequence ?? start
                messages.append(
                    .changes(
                        ChangeBatch(
                            changes: part.map(\.change),
                            through: Checkpoint(epoch: relay.middleEpoch, sequence: reached))))
            }
            let rows = told.map { relay.lie == .replaysRows ? $0.first : $0.row }
            let most = WireLimits.summaryRowCountMax
            for index in stride(from: 0, through: rows.count, by: most) {
                let isLast = index + most > rows.count
                let epoch = isLast ? relay.epoch : relay.middleEpoch
                messages.append(
                    .downloadDone(
                        DownloadDone(
                            through: Checkpoint(epoch: epoch, sequence: cursor),
                            rows: Array(rows[index..<min(index + most, rows.count)]),
                            rowSum: isLast ? relay.rowSum : nil)))
            }
            return messages
        }
    }

    /// Takes note of versions that a device cannot open; gives those that are here, and those that are not.
    private func note(
        _ marks: [VersionMark], _ own: inout Set<UInt64>
    ) -> (kept: [VersionMark], unknown: [VersionMark]) {
        var (kept, unknown): ([VersionMark], [VersionMark]) = ([], [])
        for mark in marks {
            guard let index = versions.firstIndex(where: { VersionMark(of: $0.change) == mark })
            else {
                unknown.append(mark)
                continue
            }
            kept.append(mark)
            if versions[index].unreadable != nil { continue }
            sequence += 1
            versions[index].unreadable = sequence
            own.insert(sequence)
        }
        return (kept, unknown)
    }

    private func put(_ change: Change) -> UInt64? {
        receivedCount += 1
        let others = versions.filter { $0.change.name == change.name }
        let isHere = others.contains {
            $0.change == change
                || $0.unreadable == nil && $0.change.clock != change.clock
                    && $0.change.clock.covers(change.clock)
        }
        if isHere { return nil }
        versions.removeAll {
            $0.change.name == change.name && change.clock != $0.change.clock
                && change.clock.covers($0.change.clock)
        }
        sequence += 1
        versions.append(Version(change: change, sequence: sequence))
        return sequence
    }

    private func falsify(_ fresh: inout [Version], _ told: inout [Row]) {
        func changed(_ body: (Change) -> Change) {
            fresh = fresh.map { Version(change: body($0.change), sequence: $0.sequence) }
        }
        switch lie {
        case .withholds: fresh = fresh.filter { $0.sequence % 2 == 0 }
        case .repeats: fresh = versions.reversed() + fresh
        case .tampers:
            changed { change in
                var body = change.body
                body[body.count / 2] ^= 1
                return Change(change.name, clock: change.clock, body: body)
            }
        case .swapsRecords:
            let names = fresh.map(\.change.name)
            fresh = fresh.enumerated().map { index, version in
                Version(
                    change: Change(
                        names[(index + 1) % names.count], clock: version.change.clock,
                        body: version.change.body), sequence: version.sequence)
            }
        case .raisesClocks:
            changed { change in
                var clock = change.clock
                for entry in clock.entries { clock.set(entry.counter + 5, of: entry.replica) }
                return Change(change.name, clock: clock, body: change.body)
            }
        case .withholdsRows: told = []
        case .swapsRows:
            let bytes = told.map(\.row.bytes)
            for index in told.indices {
                told[index].row.bytes = bytes[(index + 1) % bytes.count]
            }
        case .replaysRows, .givesFalseSums, .claimsUploads, .claimsReads, nil: return
        }
    }
}
