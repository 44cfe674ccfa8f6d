import Core
import Storage

/// What devices are given.
extension RelayStore {
    /// Versions in order of arrival.
    package struct Reading: Hashable, Sendable {
        /// The versions.
        package var changes: [Change] = []
        /// Everything up to this arrival number was looked at.
        package var through: UInt64
        /// Whether nothing is left behind it.
        package var isEnd = false
    }

    /// A statement of a device with its arrival number.
    struct NumberedNotice: Hashable, Sendable {
        let sequence: UInt64
        let notice: Standing.Notice
    }

    /// Where a device that comes with a bookmark goes on.
    ///
    /// - Returns: after which arrival number versions are read, and after which statements.
    package func start(_ bookmark: Approach.Bookmark?) -> (versions: UInt64, notices: UInt64) {
        guard let bookmark, bookmark.relay == state.relay else { return (0, 0) }
        let id = EpochID(value: bookmark.checkpoint.epoch.value | 1)
        guard let place = state.epochs.firstIndex(where: { $0.id == id }) else { return (0, 0) }
        let isLast = place + 1 == state.epochs.count
        let end = isLast ? state.sequence : state.epochs[place + 1].firstSequence
        let sequence = min(bookmark.checkpoint.sequence, end)
        // All statements, each time: a device that something was kept from has no other cause to
        // look for it than a statement that does not add up.
        return (sequence, 0)
    }

    /// How far into its own sequence a device has uploaded; nil if nothing is known of it.
    package func uploaded(by replica: ReplicaID) throws(StoreFault) -> Checkpoint? {
        let row = try connection.statement(
            "SELECT epoch, sequence FROM uploaded WHERE replica = ?")
        row.bind(1, identifier: replica.value)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return Checkpoint(epoch: EpochID(value: row.unsigned(0)), sequence: row.unsigned(1))
    }

    /// Reads the next versions, as many as go into one batch.
    ///
    /// - Parameters:
    ///   - own: stretches of arrival numbers that are passed over, in order.
    ///   - byteCountMax: the most bytes of bodies; a single longer one is read alone.
    package func read(
        after start: UInt64, passing own: [ClosedRange<UInt64>] = [],
        byteCountMax: Int = WireLimits.batchByteCountMax
    ) throws(StoreFault) -> Reading {
        var result = Reading(through: Self.passed(start, own))
        if result.through >= state.sequence {
            return Reading(through: state.sequence, isEnd: true)
        }
        let rows = try connection.statement(
            "SELECT \(Self.versionColumns) FROM version WHERE sequence > ? ORDER BY sequence")
        rows.bind(1, result.through)
        defer { rows.reset() }
        var byteCount = 0
        var replicas: Set<ReplicaID> = []
        while try rows.step() {
            let sequence = rows.unsigned(0)
            let next = Self.passed(sequence - 1, own)
            if next >= sequence {
                rows.reset()
                rows.bind(1, next)
                continue
            }
            let change = try change(rows)
            for entry in change.clock.entries { replicas.insert(entry.replica) }
            byteCount += change.body.count + change.clock.entries.count * 8 + 32
            if !result.changes.isEmpty,
                byteCount > byteCountMax || replicas.count > WireLimits.replicaCountMax
            {
                return result
            }
            result.changes.append(change)
            result.through = sequence
            if result.changes.count == WireLimits.changesPerBatchMax { return result }
        }
        result.through = state.sequence
        result.isEnd = true
        return result
    }

    /// The last number of the stretch that begins behind `sequence`; itself if none does.
    private static func passed(_ sequence: UInt64, _ own: [ClosedRange<UInt64>]) -> UInt64 {
        let stretch = own.first { $0.contains(sequence + 1) }
        return stretch?.upperBound ?? sequence
    }

    private static let versionColumns = "sequence, id, clock, body, aside"

    private func change(_ rows: PreparedStatement) throws(StoreFault) -> Change {
        guard let id = rows.identifier(1) else {
            throw .corrupt(path: path, detail: "the id of a version is damaged")
        }
        let clock = try rows.withBytes(2) { bytes in
            Result { () throws(StoreFault) in try self.clock(bytes) }
        }.get()
        return Change(
            id: RecordID(value: id), clock: clock, body: rows.bytes(3), isAside: rows.int(4) != 0)
    }

    /// The versions of one record, in order of arrival.
    package func versions(of id: RecordID) throws(StoreFault) -> [Change] {
        let rows = try connection.statement(
            "SELECT \(Self.versionColumns) FROM version WHERE id = ? ORDER BY sequence")
        rows.bind(1, identifier: id.value)
        defer { rows.reset() }
        var versions: [Change] = []
        while try rows.step() { versions.append(try change(rows)) }
        return versions
    }

    /// Statements of devices in order of arrival.
    ///
    /// - Parameter byteCountMax: the most bytes; a single longer one is read alone.
    /// - Returns: the statements, and whether these are all.
    func notices(
        after start: UInt64, except own: UInt64?, byteCountMax: Int
    ) throws(StoreFault) -> (notices: [NumberedNotice], isEnd: Bool) {
        let rows = try connection.statement(
            "SELECT sequence, replica, bytes FROM notice WHERE sequence > ? ORDER BY sequence")
        rows.bind(1, start)
        defer { rows.reset() }
        var notices: [NumberedNotice] = []
        var byteCount = 0
        while try rows.step() {
            let sequence = rows.unsigned(0)
            if sequence == own { continue }
            guard let replica = rows.identifier(1) else {
                throw .corrupt(path: path, detail: "the replica of a statement is damaged")
            }
            let bytes = rows.bytes(2)
            byteCount += bytes.count + 32
            if !notices.isEmpty, byteCount > byteCountMax { return (notices, false) }
            notices.append(
                NumberedNotice(
                    sequence: sequence,
                    notice: Standing.Notice(replica: ReplicaID(value: replica), bytes: bytes)))
        }
        return (notices, true)
    }

    /// What a device last stated of itself; nil if nothing.
    package func notice(of replica: ReplicaID) throws(StoreFault) -> [UInt8]? {
        let row = try connection.statement("SELECT bytes FROM notice WHERE replica = ?")
        row.bind(1, identifier: replica.value)
        defer { row.reset() }
        return try row.step() ? row.bytes(0) : nil
    }

    /// Looks whether all rows fit together; what it finds, in words.
    package func examine() throws(StoreFault) -> [String] {
        var findings: [String] = []
        let pages = try connection.text("PRAGMA quick_check(1)")
        if pages != "ok" { findings.append(pages) }
        let rows = try connection.statement(
            "SELECT \(Self.versionColumns) FROM version ORDER BY id, sequence")
        defer { rows.reset() }
        var (byteCount, versionCount, recordCount) = (0, 0, 0)
        var last: RecordID?
        var others: [Change] = []
        while try rows.step() {
            let change = try change(rows)
            if change.id != last {
                last = change.id
                others = []
                recordCount += 1
            }
            for other in others
            where Self.replaces(other, change) || Self.replaces(change, other) {
                findings.append("record \(change.id) has a version that another one covers")
            }
            others.append(change)
            versionCount += 1
            byteCount += Self.byteCount(of: change)
            if rows.unsigned(0) > state.sequence { findings.append("a number beyond the last") }
        }
        byteCount += Int(try connection.number("SELECT total(length(bytes) + 16) FROM notice"))
        for letter in try Self.letters(from: connection, path: path) {
            byteCount += Self.byteCount(ofLetter: letter.byteCount)
        }
        let counted = (byteCount, versionCount, recordCount)
        if counted != (state.byteCount, state.versionCount, state.recordCount) {
            findings.append("the sums are not those of the rows")
        }
        return findings
    }
}
