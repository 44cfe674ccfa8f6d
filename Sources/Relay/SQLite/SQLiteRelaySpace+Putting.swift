import Core
import Storage

/// Stores the items that devices upload; each call is made inside a transaction.
extension SQLiteRelaySpace {
    /// Keeps a version, unless one that is here covers it.
    package func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        let mark = VersionMark(of: change)
        var known: [RelayStoredVersion]
        if let taken = knownVersions.take(mark.id) {
            known = taken
        } else {
            known = try versions(of: mark.id)
        }
        defer { knownVersions.keep(known, of: mark.id) }
        let neighbours = try RelayNeighbours(of: change, among: known) {
            version throws(StoreFault) in
            try isCopy(version, of: change, mark)
        }
        guard let found = neighbours else { return .covered }
        let quota = RelayQuota.against(
            change, found.versions, byteCount: state.byteCount, recordCount: state.recordCount,
            limits)
        if let quota { return .refused(quota) }
        for sequence in found.replaced {
            let row = try connection.statement("DELETE FROM version WHERE sequence = ?")
            row.bind(1, sequence)
            try row.run()
        }
        state.byteCount += RelayQuota.byteCount(of: change) - found.versions.freedByteCount
        state.versionCount += 1 - found.replaced.count
        if found.versions.count == 0 { state.recordCount += 1 }
        let sequence = try nextSequence()
        let row = try connection.statement(
            "INSERT INTO version(sequence, id, hash, deferred, clock, body) VALUES (?, ?, ?, ?, ?, ?)"
        )
        row.bind(1, sequence)
        row.bind(2, identifier: mark.id.value)
        row.bind(3, identifier: mark.hash)
        row.bind(4, change.isDeferred ? Int64(1) : 0)
        row.bind(5, RelayClock.bytes(of: change.clock))
        row.bind(6, change.body)
        try row.run()
        if !found.replaced.isEmpty {
            let replaced = Set(found.replaced)
            known.removeAll { replaced.contains($0.sequence) }
        }
        known.append(
            RelayStoredVersion(
                sequence: sequence, clock: change.clock, bodyByteCount: change.body.count,
                hash: mark.hash, isDeferred: change.isDeferred, isUnreadable: false))
        return .kept(sequence, replaced: found.replaced)
    }

    /// Whether a version here has the clock and the body of another one.
    private func isCopy(
        _ version: RelayStoredVersion, of change: Change, _ mark: VersionMark
    ) throws(StoreFault) -> Bool {
        guard version.mayBeCopy(of: change, mark) else { return false }
        let row = try connection.statement("SELECT body = ? FROM version WHERE sequence = ?")
        row.bind(1, change.body)
        row.bind(2, version.sequence)
        defer { row.reset() }
        return try row.step() && row.int(0) != 0
    }

    /// Reads the versions of a record, without their bodies.
    private func versions(of id: RecordID) throws(StoreFault) -> [RelayStoredVersion] {
        let rows = try connection.statement(
            """
            SELECT sequence, clock, length(body), hash, deferred, unreadable IS NOT NULL
            FROM version WHERE id = ? ORDER BY sequence
            """)
        rows.bind(1, identifier: id.value)
        defer { rows.reset() }
        var found: [RelayStoredVersion] = []
        while try rows.step() {
            let clock = try rows.withBytes(1) { bytes in
                Result { () throws(StoreFault) in try self.clock(bytes) }
            }.get()
            knownVersions.readCount += 1
            found.append(
                RelayStoredVersion(
                    sequence: rows.unsigned(0), clock: clock, bodyByteCount: Int(rows.int(2)),
                    hash: rows.identifier(3), isDeferred: rows.int(4) != 0,
                    isUnreadable: rows.int(5) != 0))
        }
        return found
    }

    /// Remembers of versions that a device could not open them.
    package func noteUnreadable(_ marks: [VersionMark]) throws(StoreFault) -> [RelayNoteOutcome] {
        var outcomes: [RelayNoteOutcome] = []
        outcomes.reserveCapacity(marks.count)
        for mark in marks {
            if let found = try version(of: mark) {
                outcomes.append(
                    found.isNoted ? .known : .noted(try note(mark, found.sequence)))
            } else {
                outcomes.append(.absent)
            }
        }
        return outcomes
    }

    private func note(_ mark: VersionMark, _ version: UInt64) throws(StoreFault) -> UInt64 {
        let sequence = try nextSequence()
        let row = try connection.statement("UPDATE version SET unreadable = ? WHERE sequence = ?")
        row.bind(1, sequence)
        row.bind(2, version)
        try row.run()
        knownVersions.forget(mark.id)
        return sequence
    }

    /// Finds a version by its mark as it was last read, or came; reads no body.
    ///
    /// Of several with that mark, as one came again and the disk damaged it in the same way, one that was not noted yet.
    private func version(
        of mark: VersionMark
    ) throws(StoreFault) -> (sequence: UInt64, isNoted: Bool)? {
        let row = try connection.statement(
            """
            SELECT sequence, coalesce(unreadable, 0) > 0 AS is_noted FROM version WHERE id = ? AND hash = ?
            ORDER BY is_noted LIMIT 1
            """)
        row.bind(1, identifier: mark.id.value)
        row.bind(2, identifier: mark.hash)
        defer { row.reset() }
        return try row.step() ? (row.unsigned(0), row.int(1) != 0) : nil
    }

    /// Knows versions by the marks that they were found to have, as the disk has damaged them: by these devices name them.
    ///
    /// One that was said to be unreadable before stays so; under its new mark nobody was told of it.
    func noteDamage(_ hashes: [UInt64: UInt128]) throws(StoreFault) {
        try transact { () throws(StoreFault) in
            for (sequence, hash) in hashes.sorted(by: { $0.key < $1.key }) {
                let row = try connection.statement(
                    "UPDATE version SET hash = ?, unreadable = -abs(unreadable) WHERE sequence = ?")
                row.bind(1, identifier: hash)
                row.bind(2, sequence)
                try row.run()
            }
        }
    }

    /// Remembers how far into its own sequence a device has uploaded.
    package func noteUploaded(
        _ checkpoint: Checkpoint, by replica: ReplicaID, limits: RelayLimits
    ) throws(StoreFault) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO uploaded VALUES (?, ?, ?, ?)")
        row.bind(1, identifier: replica.value)
        row.bind(2, checkpoint.epoch.value)
        row.bind(3, checkpoint.sequence)
        row.bind(4, state.sequence)
        try row.run()
        if try connection.number("SELECT count(*) FROM uploaded") > limits.spaceReplicaCountMax {
            try connection.run(
                """
                DELETE FROM uploaded WHERE replica =
                    (SELECT replica FROM uploaded ORDER BY arrival, replica LIMIT 1)
                """)
        }
    }

    /// Keeps a summary row in place of the one with its key, unless that has a higher number, or is the same.
    ///
    /// A row that the space already has keeps its arrival number, and no subscriber is notified again.
    package func put(_ row: SummaryRow, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        var growth = RelayQuota.byteCount(ofRow: row.bytes.count)
        let known = try self.row(row.key)
        if row.isCovered(by: known) { return .covered }
        if let known { growth -= RelayQuota.byteCount(ofRow: known.bytes.count) }
        if growth > 0, state.byteCount + growth > limits.spaceByteCountMax {
            return .refused(.bytes)
        }
        state.byteCount += growth
        state.rowSum &+= row.hash &- (known?.hash ?? 0)
        let sequence = try nextSequence()
        let put = try connection.statement(
            """
            INSERT INTO summary_row(sequence, replica, about, number, bytes) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT(replica, about) DO UPDATE SET sequence = ?1, number = ?4, bytes = ?5
            """)
        put.bind(1, sequence)
        put.bind(2, identifier: row.key.replica.value)
        Self.bind(3, row.key, to: put)
        put.bind(4, row.number)
        put.bind(5, row.bytes)
        try put.run()
        return .kept(sequence, replaced: [])
    }

    private func row(_ key: SummaryRow.Key) throws(StoreFault) -> SummaryRow? {
        let row = try connection.statement(
            "SELECT number, bytes FROM summary_row WHERE replica = ? AND about = ?")
        row.bind(1, identifier: key.replica.value)
        Self.bind(2, key, to: row)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return SummaryRow(key, number: row.unsigned(0), bytes: row.bytes(1))
    }

    /// Digests, which are about no replica id, have an empty one in the table: NULLs would not be unique.
    private static func bind(_ index: Int32, _ key: SummaryRow.Key, to row: PreparedStatement) {
        if let about = key.about {
            row.bind(index, identifier: about.value)
        } else {
            row.bind(index, [UInt8]())
        }
    }
}
