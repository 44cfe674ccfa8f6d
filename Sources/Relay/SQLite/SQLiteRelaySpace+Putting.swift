import Core
import Storage

/// Stores the items that devices upload; each call is made inside a transaction.
extension SQLiteRelaySpace {
    /// Keeps a version, unless one that is here covers it.
    package func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> RelayPutOutcome {
        guard let found = try versions(beside: change) else { return .covered }
        let quota = RelayQuota.against(
            change, found.versions, byteCount: state.byteCount, recordCount: state.recordCount,
            limits)
        if let quota { return .refused(quota) }
        let replaced = found.replaced
        for sequence in replaced {
            let row = try connection.statement("DELETE FROM version WHERE sequence = ?")
            row.bind(1, sequence)
            try row.run()
        }
        state.byteCount += RelayQuota.byteCount(of: change) - found.versions.freedByteCount
        state.versionCount += 1 - replaced.count
        if found.versions.count == 0 { state.recordCount += 1 }
        let sequence = try nextSequence()
        let row = try connection.statement(
            "INSERT INTO version(sequence, id, hash, aside, clock, body) VALUES (?, ?, ?, ?, ?, ?)")
        row.bind(1, sequence)
        row.bind(2, identifier: change.name.id.value)
        row.bind(3, identifier: VersionMark(of: change).hash)
        row.bind(4, change.isDeferred ? Int64(1) : 0)
        row.bind(5, Self.bytes(of: change.clock))
        row.bind(6, change.body)
        try row.run()
        return .kept(sequence, replaced: replaced)
    }

    /// The versions of a record as a new one finds them.
    private struct Found {
        var versions = RelayQuota.Versions()
        /// The arrival numbers of those that the new one replaces.
        var replaced: [UInt64] = []
    }

    /// Finds the versions of the record; nil if one of them replaces the new one.
    private func versions(beside change: Change) throws(StoreFault) -> Found? {
        let rows = try connection.statement(
            """
            SELECT sequence, clock, length(body), aside,
                CASE WHEN clock = ?1 THEN body = ?2 ELSE FALSE END, unreadable IS NOT NULL
            FROM version WHERE id = ?3 ORDER BY sequence
            """)
        rows.bind(1, Self.bytes(of: change.clock))
        rows.bind(2, change.body)
        rows.bind(3, identifier: change.name.id.value)
        defer { rows.reset() }
        var found = Found()
        while try rows.step() {
            let clock = try rows.withBytes(1) { bytes in
                Result { () throws(StoreFault) in try self.clock(bytes) }
            }.get()
            let isDeferred = rows.int(3) != 0
            let isSameBody = rows.int(4) != 0
            let isUnreadable = rows.int(5) != 0
            let isSameKind = isDeferred == change.isDeferred && !isUnreadable
            found.versions.count += 1
            if isSameKind { found.versions.kindCount += 1 }
            if RelayCovering.replaces(
                clock, isDeferred, isUnreadable, change.clock, change.isDeferred, isSameBody)
            {
                return nil
            }
            guard
                RelayCovering.replaces(
                    change.clock, change.isDeferred, false, clock, isDeferred, isSameBody)
            else {
                continue
            }
            found.replaced.append(rows.unsigned(0))
            found.versions.replacedCount += 1
            if isSameKind { found.versions.replacedKindCount += 1 }
            found.versions.freedByteCount += RelayQuota.byteCount(
                body: Int(rows.int(2)), clockEntries: clock.entries.count)
        }
        return found
    }

    /// Remembers of versions that a device could not open them.
    package func noteUnreadable(
        _ marks: [VersionMark], limits: RelayLimits
    ) throws(StoreFault) -> [RelayNoteOutcome] {
        var room = limits.unreadableSearchByteCountMax
        var searched: Searched?
        var outcomes: [RelayNoteOutcome] = []
        outcomes.reserveCapacity(marks.count)
        for mark in marks {
            if let found = try version(of: mark) {
                outcomes.append(
                    found.isNoted ? .known : .noted(try note(mark, found.sequence)))
                continue
            }
            let versions: Searched
            if let searched, searched.id == mark.id {
                versions = searched
            } else {
                versions = try search(mark.id, &room)
                searched = versions
            }
            if let sequence = versions.sequences[mark.hash] {
                outcomes.append(.noted(try note(mark, sequence)))
            } else {
                outcomes.append(versions.isWhole ? .absent : .undecided)
            }
        }
        return outcomes
    }

    private func note(_ mark: VersionMark, _ version: UInt64) throws(StoreFault) -> UInt64 {
        let sequence = try nextSequence()
        let row = try connection.statement(
            "UPDATE version SET unreadable = ?, hash = ? WHERE sequence = ?")
        row.bind(1, sequence)
        row.bind(2, identifier: mark.hash)
        row.bind(3, version)
        try row.run()
        return sequence
    }

    /// Finds a version by the mark under which it came, or was last noted; reads no body.
    private func version(
        of mark: VersionMark
    ) throws(StoreFault) -> (sequence: UInt64, isNoted: Bool)? {
        let row = try connection.statement(
            "SELECT sequence, unreadable IS NOT NULL FROM version WHERE id = ? AND hash = ?")
        row.bind(1, identifier: mark.id.value)
        row.bind(2, identifier: mark.hash)
        defer { row.reset() }
        return try row.step() ? (row.unsigned(0), row.int(1) != 0) : nil
    }

    /// The versions of one record by their hashes as they are now: another than it came under if the disk damaged it.
    private struct Searched {
        let id: RecordID
        var sequences: [UInt128: UInt64] = [:]
        /// Whether all of its versions are among them.
        var isWhole = true
    }

    /// Hashes the versions of a record as long as there is room for their bytes.
    ///
    /// A search that was cut begins the next time where this one ended.
    private func search(_ id: RecordID, _ room: inout Int) throws(StoreFault) -> Searched {
        var found = Searched(id: id)
        guard room > 0 else {
            found.isWhole = false
            return found
        }
        let listed = try sequences(of: id)
        room -= listed.count * RelayQuota.rowByteCount
        let start = listed.isEmpty ? 0 : searchStart % listed.count
        for (count, sequence) in (listed[start...] + listed[..<start]).enumerated() {
            guard count == 0 || room > 0 else {
                searchStart += count
                found.isWhole = false
                return found
            }
            let row = try connection.statement(
                "SELECT \(Self.versionColumns) FROM version WHERE sequence = ?")
            row.bind(1, sequence)
            defer { row.reset() }
            guard try row.step() else { continue }
            let change = try change(row)
            room -= RelayQuota.byteCount(of: change)
            found.sequences[VersionMark(of: change).hash] = sequence
        }
        return found
    }

    private func sequences(of id: RecordID) throws(StoreFault) -> [UInt64] {
        let rows = try connection.statement(
            "SELECT sequence FROM version WHERE id = ? ORDER BY sequence")
        rows.bind(1, identifier: id.value)
        defer { rows.reset() }
        var sequences: [UInt64] = []
        while try rows.step() { sequences.append(rows.unsigned(0)) }
        return sequences
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

    /// Stores a device's sealed summary in place of its earlier one.
    ///
    /// A sealed summary that the space already has keeps its arrival number, and no subscriber is
    /// notified again.
    ///
    /// - Returns: its arrival number; nil if the space may not have so many bytes.
    package func putNotice(
        _ bytes: [UInt8], of replica: ReplicaID, limits: RelayLimits
    ) throws(StoreFault) -> UInt64? {
        if let known = try sequence(ofNotice: bytes, of: replica) { return known }
        let growth =
            RelayQuota.byteCount(ofNotice: bytes.count) - (try noticeByteCount(of: replica))
        if growth > 0, state.byteCount + growth > limits.spaceByteCountMax { return nil }
        let old = try connection.statement("DELETE FROM notice WHERE replica = ?")
        old.bind(1, identifier: replica.value)
        try old.run()
        state.byteCount += growth
        let sequence = try nextSequence()
        let row = try connection.statement("INSERT INTO notice VALUES (?, ?, ?)")
        row.bind(1, sequence)
        row.bind(2, identifier: replica.value)
        row.bind(3, bytes)
        try row.run()
        if try connection.number("SELECT count(*) FROM notice") > limits.spaceReplicaCountMax {
            try dropOldestNotice()
        }
        return sequence
    }

    private func sequence(
        ofNotice bytes: [UInt8], of replica: ReplicaID
    ) throws(StoreFault) -> UInt64? {
        let row = try connection.statement(
            "SELECT sequence FROM notice WHERE replica = ? AND bytes = ?")
        row.bind(1, identifier: replica.value)
        row.bind(2, bytes)
        defer { row.reset() }
        return try row.step() ? row.unsigned(0) : nil
    }

    private func noticeByteCount(of replica: ReplicaID) throws(StoreFault) -> Int {
        let row = try connection.statement("SELECT length(bytes) FROM notice WHERE replica = ?")
        row.bind(1, identifier: replica.value)
        defer { row.reset() }
        return try row.step() ? RelayQuota.byteCount(ofNotice: Int(row.int(0))) : 0
    }

    private func dropOldestNotice() throws(StoreFault) {
        let oldest = try connection.number("SELECT min(sequence) FROM notice")
        let length = try connection.number(
            "SELECT length(bytes) FROM notice ORDER BY sequence LIMIT 1")
        let row = try connection.statement("DELETE FROM notice WHERE sequence = ?")
        row.bind(1, oldest)
        try row.run()
        state.byteCount -= RelayQuota.byteCount(ofNotice: Int(length))
    }
}
