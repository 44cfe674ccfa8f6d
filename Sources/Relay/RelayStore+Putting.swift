import Core
import Storage

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
        guard let place = try place(of: change) else { return .covered }
        if let quota = quota(change, place, limits) { return .refused(quota) }
        let replaced = place.replaced
        for sequence in replaced {
            let row = try connection.statement("DELETE FROM version WHERE sequence = ?")
            row.bind(1, sequence)
            try row.run()
        }
        state.byteCount += Self.byteCount(of: change) - place.freedByteCount
        state.versionCount += 1 - replaced.count
        if place.versionCount == 0 { state.recordCount += 1 }
        let sequence = try nextSequence()
        let row = try connection.statement(
            "INSERT INTO version(sequence, id, clock, body, aside) VALUES (?, ?, ?, ?, ?)")
        row.bind(1, sequence)
        row.bind(2, identifier: change.id.value)
        row.bind(3, Self.bytes(of: change.clock))
        row.bind(4, change.body)
        row.bind(5, change.isAside ? Int64(1) : 0)
        try row.run()
        return .kept(sequence, replaced: replaced)
    }

    /// What a version finds in the place of its record.
    private struct Place {
        /// The versions there.
        var versionCount = 0
        /// Those of them that count against the same quota as this one: set aside, or not.
        var kindCount = 0
        /// The arrival numbers of those that this one replaces.
        var replaced: [UInt64] = []
        /// How many of these count against the same quota.
        var replacedKindCount = 0
        /// What goes with them.
        var freedByteCount = 0
    }

    /// Looks what a version finds; nil if one that is here replaces it.
    private func place(of change: Change) throws(StoreFault) -> Place? {
        let rows = try connection.statement(
            """
            SELECT sequence, clock, length(body), aside,
                CASE WHEN clock = ?1 THEN body = ?2 ELSE FALSE END
            FROM version WHERE id = ?3 ORDER BY sequence
            """)
        rows.bind(1, Self.bytes(of: change.clock))
        rows.bind(2, change.body)
        rows.bind(3, identifier: change.id.value)
        defer { rows.reset() }
        var place = Place()
        while try rows.step() {
            let clock = try rows.withBytes(1) { bytes in
                Result { () throws(StoreFault) in try self.clock(bytes) }
            }.get()
            let isAside = rows.int(3) != 0
            let isSameBody = rows.int(4) != 0
            place.versionCount += 1
            if isAside == change.isAside { place.kindCount += 1 }
            if Self.replaces(clock, isAside, change.clock, change.isAside, isSameBody) {
                return nil
            }
            guard Self.replaces(change.clock, change.isAside, clock, isAside, isSameBody) else {
                continue
            }
            place.replaced.append(rows.unsigned(0))
            if isAside == change.isAside { place.replacedKindCount += 1 }
            place.freedByteCount += Self.byteCount(
                body: Int(rows.int(2)), clockEntries: clock.entries.count)
        }
        return place
    }

    /// Whether a version has no place beside another one of its record.
    static func replaces(_ version: Change, _ other: Change) -> Bool {
        replaces(
            version.clock, version.isAside, other.clock, other.isAside, version.body == other.body)
    }

    /// Whether a version has no place beside another one, by their clocks and marks.
    ///
    /// One that can be read is never dropped for one that was set aside: who cannot read that either has
    /// nothing else. With one clock and two bodies both stay: one name was given to two writes, and
    /// devices that get both keep both.
    private static func replaces(
        _ clock: VersionVector, _ isAside: Bool, _ other: VersionVector, _ isOtherAside: Bool,
        _ isSameBody: Bool
    ) -> Bool {
        guard covers(clock, other) else { return false }
        if isAside != isOtherAside { return isOtherAside }
        return isSameBody || !covers(other, clock)
    }

    private static func covers(_ left: VersionVector, _ right: VersionVector) -> Bool {
        if PlantedFault.relayPrunesBySumOfCounters.isPlanted { return sumCovers(left, right) }
        if PlantedFault.relayKeepsEqualClocksTwice.isPlanted, left == right { return false }
        return left.covers(right)
    }

    /// The quota that stands against a version; one that makes the space no larger is always taken.
    private func quota(
        _ change: Change, _ place: Place, _ limits: RelayLimits
    ) -> Quota? {
        let growth = Self.byteCount(of: change) - place.freedByteCount
        if growth > 0, state.byteCount + growth > limits.spaceByteCountMax { return .bytes }
        if place.versionCount == 0, state.recordCount >= limits.spaceRecordCountMax {
            return .records
        }
        // What was set aside never stands against what can be read.
        let versions = place.kindCount - place.replacedKindCount + 1
        if versions > max(place.kindCount, limits.recordVersionCountMax) { return .versions }
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
