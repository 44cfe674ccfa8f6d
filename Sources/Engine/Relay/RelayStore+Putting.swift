import Causality
import Records
import Storage
import Wire

/// What devices bring; each inside of a transaction.
extension RelayStore {
    /// What became of a version.
    package enum PutOutcome: Hashable, Sendable {
        /// It has the arrival number; those of the versions that it covers are gone.
        case kept(UInt64, replaced: [UInt64])
        /// A version that is here covers it.
        case covered
        /// A quota stands against it; nothing was changed.
        case refused(Quota)
    }

    /// What a space may not have more of.
    package enum Quota: Hashable, Sendable {
        /// Bytes.
        case bytes
        /// Records.
        case records
        /// Concurrent versions of a record.
        case versions
    }

    /// Keeps a version, unless one that is here covers it.
    package func put(_ change: Change, limits: RelayLimits) throws(StoreFault) -> PutOutcome {
        let rows = try connection.statement(
            "SELECT sequence, clock, length(body) FROM version WHERE id = ? ORDER BY sequence")
        rows.bind(1, identifier: change.id.value)
        defer { rows.reset() }
        var replaced: [UInt64] = []
        var freed = 0
        var count = 0
        while try rows.step() {
            let held = try rows.withBytes(1) { bytes in
                Result { () throws(StoreFault) in try self.clock(bytes) }
            }.get()
            count += 1
            if Self.covers(held, change.clock) { return .covered }
            if Self.covers(change.clock, held) {
                replaced.append(rows.unsigned(0))
                freed += Self.byteCount(
                    body: Int(rows.int(2)), clockEntries: held.entries.count)
            }
        }
        if let quota = quota(change, count: count, replaced: replaced.count, freed, limits) {
            return .refused(quota)
        }
        for sequence in replaced {
            let row = try connection.statement("DELETE FROM version WHERE sequence = ?")
            row.bind(1, sequence)
            try row.run()
        }
        state.byteCount += Self.byteCount(of: change) - freed
        state.versionCount += 1 - replaced.count
        if count == 0 { state.recordCount += 1 }
        let sequence = try nextSequence()
        let row = try connection.statement("INSERT INTO version VALUES (?, ?, ?, ?)")
        row.bind(1, sequence)
        row.bind(2, identifier: change.id.value)
        row.bind(3, Self.bytes(of: change.clock))
        row.bind(4, change.body)
        try row.run()
        return .kept(sequence, replaced: replaced)
    }

    private static func covers(_ left: VersionVector, _ right: VersionVector) -> Bool {
        if PlantedFault.relayPrunesBySumOfCounters.isPlanted { return sumCovers(left, right) }
        if PlantedFault.relayKeepsEqualClocksTwice.isPlanted, left == right { return false }
        return left.covers(right)
    }

    /// The quota that stands against a version; one that makes the space no larger is always taken.
    private func quota(
        _ change: Change, count: Int, replaced: Int, _ freed: Int, _ limits: RelayLimits
    ) -> Quota? {
        let growth = Self.byteCount(of: change) - freed
        if growth > 0, state.byteCount + growth > limits.spaceByteCountMax { return .bytes }
        if count == 0, state.recordCount >= limits.spaceRecordCountMax { return .records }
        let versions = count - replaced + 1
        if versions > max(count, limits.recordVersionCountMax) { return .versions }
        return nil
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

    /// Keeps what a device states of itself in place of what it stated before.
    ///
    /// What is there already keeps its arrival number, and nobody is told again.
    ///
    /// - Returns: its arrival number; nil if the space may not have so many bytes.
    package func putNotice(
        _ bytes: [UInt8], of replica: ReplicaID, limits: RelayLimits
    ) throws(StoreFault) -> UInt64? {
        if let known = try sequence(ofNotice: bytes, of: replica) { return known }
        let growth = Self.byteCount(ofNotice: bytes.count) - (try noticeByteCount(of: replica))
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
        return try row.step() ? Self.byteCount(ofNotice: Int(row.int(0))) : 0
    }

    private func dropOldestNotice() throws(StoreFault) {
        let oldest = try connection.number("SELECT min(sequence) FROM notice")
        let length = try connection.number(
            "SELECT length(bytes) FROM notice ORDER BY sequence LIMIT 1")
        let row = try connection.statement("DELETE FROM notice WHERE sequence = ?")
        row.bind(1, oldest)
        try row.run()
        state.byteCount -= Self.byteCount(ofNotice: Int(length))
    }
}
