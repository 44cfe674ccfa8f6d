import Core
import Storage

/// Reading for devices, and for a look from outside.
extension SQLiteRelaySpace {
    /// The arrival number behind which a device reads that comes with a bookmark.
    package func start(_ bookmark: RelayHello.Bookmark?) -> UInt64 {
        RelayEpoch.start(of: bookmark, relay: relay, in: state.epochs, through: state.sequence)
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

    /// Reads the next versions, as many as go into one batch, and the summary rows behind them.
    ///
    /// - Parameter byteCountMax: the most bytes of bodies; a single longer one is read alone.
    package func read(
        _ request: RelayReadRequest, byteCountMax: Int = WireLimits.batchByteCountMax
    ) throws(StoreFault) -> RelayReading {
        var damage: [UInt64: UInt128] = [:]
        var (reading, sequences) = try versions(
            after: request.start, passing: request.own, byteCountMax: byteCountMax, &damage)
        // On a disk that cannot be written the devices that name them hear that they are not here, and read anew.
        if !damage.isEmpty { try? noteDamage(damage) }
        try addUnreadable(to: &reading, after: request.start, passing: request.own, sequences)
        if reading.isEnd, request.rowsKnownThrough != reading.through {
            reading.rows = try rows(after: request.rowsAfter)
        }
        return reading
    }

    /// The next versions, and their arrival numbers.
    ///
    /// - Parameter damage: the hashes of those that have another one than they came with, by arrival number.
    private func versions(
        after start: UInt64, passing own: [ClosedRange<UInt64>], byteCountMax: Int,
        _ damage: inout [UInt64: UInt128]
    ) throws(StoreFault) -> (RelayReading, [UInt64]) {
        var result = RelayReading(epoch: epoch, through: Self.passed(start, own))
        var sequences: [UInt64] = []
        if result.through >= state.sequence {
            return (RelayReading(epoch: epoch, through: state.sequence, isEnd: true), [])
        }
        let rows = try connection.statement(
            "SELECT \(Self.versionColumns), hash FROM version WHERE sequence > ? ORDER BY sequence")
        rows.bind(1, result.through)
        defer { rows.reset() }
        var bound = RelayBatchBound(byteCountMax: byteCountMax)
        while try rows.step() {
            let sequence = rows.unsigned(0)
            let next = Self.passed(sequence - 1, own)
            if next >= sequence {
                rows.reset()
                rows.bind(1, next)
                continue
            }
            let change = try change(rows)
            guard bound.add(change) else { return (result, sequences) }
            let hash = VersionMark(of: change).hash
            if rows.identifier(5) != hash { damage[sequence] = hash }
            result.changes.append(change)
            sequences.append(sequence)
            result.through = sequence
            result.isEnd = sequence == state.sequence
            if bound.isFull { return (result, sequences) }
        }
        result.through = state.sequence
        result.isEnd = true
        return (result, sequences)
    }

    /// Adds the versions that could not be opened, as said in the same stretch; of too many the stretch ends earlier.
    private func addUnreadable(
        to reading: inout RelayReading, after start: UInt64, passing own: [ClosedRange<UInt64>],
        _ sequences: [UInt64]
    ) throws(StoreFault) {
        let rows = try connection.statement(
            """
            SELECT id, hash, unreadable FROM version
            WHERE unreadable > ?1 AND unreadable <= ?2 ORDER BY unreadable
            """)
        rows.bind(1, start)
        rows.bind(2, reading.through)
        defer { rows.reset() }
        var through = start
        while try rows.step() {
            let sequence = rows.unsigned(2)
            if Self.passed(sequence - 1, own) >= sequence { continue }
            if reading.unreadable.count == WireLimits.unreadableCountMax {
                reading.through = through
                reading.isEnd = false
                reading.changes.removeLast(sequences.count { $0 > through })
                return
            }
            guard let id = rows.identifier(0), let hash = rows.identifier(1) else {
                throw .corrupt(path: path, detail: "the mark of a version is damaged")
            }
            reading.unreadable.append(VersionMark(id: RecordID(value: id), hash: hash))
            through = sequence
        }
    }

    /// The last number of the stretch that begins behind `sequence`; itself if none does.
    private static func passed(_ sequence: UInt64, _ own: [ClosedRange<UInt64>]) -> UInt64 {
        let stretch = own.first { $0.contains(sequence + 1) }
        return stretch?.upperBound ?? sequence
    }

    static let versionColumns = "sequence, id, clock, body, deferred"

    func change(_ rows: PreparedStatement) throws(StoreFault) -> Change {
        guard let id = rows.identifier(1) else {
            throw .corrupt(path: path, detail: "the id of a version is damaged")
        }
        let clock = try rows.withBytes(2) { bytes in
            Result { () throws(StoreFault) in try self.clock(bytes) }
        }.get()
        return Change(
            RecordName(.relayed, RecordID(value: id)), clock: clock, body: rows.bytes(3),
            isDeferred: rows.int(4) != 0)
    }

    /// The versions of one record by its relay name, in order of arrival.
    package func versions(of name: RecordName) throws(StoreFault) -> [Change] {
        let rows = try connection.statement(
            "SELECT \(Self.versionColumns) FROM version WHERE id = ? ORDER BY sequence")
        rows.bind(1, identifier: name.id.value)
        defer { rows.reset() }
        var versions: [Change] = []
        while try rows.step() { versions.append(try change(rows)) }
        return versions
    }

    private func rows(after start: UInt64) throws(StoreFault) -> RelayRows {
        let rows = try connection.statement(
            "SELECT \(Self.rowColumns) FROM summary_row WHERE sequence > ? ORDER BY sequence")
        rows.bind(1, start)
        defer { rows.reset() }
        var found = RelayRows(sum: state.rowSum)
        while try rows.step() {
            let row = RelayRows.Numbered(sequence: rows.unsigned(0), row: try row(rows))
            guard found.add(row) else { break }
        }
        return found
    }

    private static let rowColumns = "sequence, replica, about, number, bytes"

    private func row(_ rows: PreparedStatement) throws(StoreFault) -> SummaryRow {
        guard let replica = rows.identifier(1) else {
            throw .corrupt(path: path, detail: "the replica of a summary row is damaged")
        }
        let about = rows.identifier(2).map { ReplicaID(value: $0) }
        return SummaryRow(
            SummaryRow.Key(ReplicaID(value: replica), about: about), number: rows.unsigned(3),
            bytes: rows.bytes(4))
    }

    /// The summary rows of a device, sorted by key.
    package func rows(of replica: ReplicaID) throws(StoreFault) -> [SummaryRow] {
        let rows = try connection.statement(
            "SELECT \(Self.rowColumns) FROM summary_row WHERE replica = ? ORDER BY about")
        rows.bind(1, identifier: replica.value)
        defer { rows.reset() }
        var found: [SummaryRow] = []
        while try rows.step() { found.append(try row(rows)) }
        return found
    }

    /// All summary rows, by arrival number.
    func allRows() throws(StoreFault) -> [RelayRows.Numbered] {
        let rows = try connection.statement(
            "SELECT \(Self.rowColumns) FROM summary_row ORDER BY sequence")
        defer { rows.reset() }
        var found: [RelayRows.Numbered] = []
        while try rows.step() {
            found.append(RelayRows.Numbered(sequence: rows.unsigned(0), row: try row(rows)))
        }
        return found
    }

    /// Looks whether all rows fit together; gives the findings.
    package func examine() throws(StoreFault) -> [RelayFinding] {
        var findings: [RelayFinding] = []
        let pages = try connection.text("PRAGMA quick_check(1)")
        if pages != "ok" { findings.append(.pages(detail: pages)) }
        let rows = try connection.statement(
            """
            SELECT \(Self.versionColumns), abs(coalesce(unreadable, 0)) FROM version ORDER BY id, sequence
            """)
        defer { rows.reset() }
        var (counted, lastNumber) = (RelayFinding.Sums(), UInt64(0))
        var last: RecordName?
        var others: [(change: Change, isUnreadable: Bool)] = []
        while try rows.step() {
            let change = try change(rows)
            let isUnreadable = rows.int(5) != 0
            if change.name != last {
                last = change.name
                others = []
                counted.recordCount += 1
            }
            for other in others
            where RelayCovering.replaces(
                other.change, change, isUnreadable: other.isUnreadable)
                || RelayCovering.replaces(change, other.change, isUnreadable: isUnreadable)
            {
                findings.append(.coveredVersion(change.name))
            }
            others.append((change, isUnreadable))
            counted.versionCount += 1
            counted.byteCount += RelayQuota.byteCount(of: change)
            lastNumber = max(lastNumber, rows.unsigned(0), rows.unsigned(5))
        }
        counted.byteCount += Int(
            try connection.number("SELECT total(length(bytes) + 48) FROM summary_row"))
        for rekeyMessage in try Self.rekeyMessages(from: connection, path: path) {
            counted.byteCount += RelayQuota.byteCount(ofRekeyMessage: rekeyMessage.byteCount)
        }
        let kept = RelayFinding.Sums(
            byteCount: state.byteCount, versionCount: state.versionCount,
            recordCount: state.recordCount)
        if counted != kept { findings.append(.sums(counted: counted, kept: kept)) }
        let all = try connection.statement("SELECT \(Self.rowColumns) FROM summary_row")
        defer { all.reset() }
        var rowSum: UInt128 = 0
        while try all.step() {
            rowSum &+= try row(all).hash
            lastNumber = max(lastNumber, all.unsigned(0))
        }
        if rowSum != state.rowSum { findings.append(.rowSum) }
        if lastNumber > state.sequence {
            findings.append(.numberBeyondLast(lastNumber, last: state.sequence))
        }
        return findings
    }
}
