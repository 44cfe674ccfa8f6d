import Core

/// The part of a store that remembers the versions at relays that could not be opened: how far a relay was read
/// counts all the same.
///
/// Owns the table `unopened`. Which record a version is of nobody knows: its name and clock are those by which the
/// relay sent it.
final class UnopenedVersions {
    /// The most versions that are remembered; of more the oldest are forgotten.
    static let countMax = 16_384

    private let database: Database
    private let knowledge: Knowledge

    init(_ database: Database, _ knowledge: Knowledge) {
        self.database = database
        self.knowledge = knowledge
    }

    // MARK: Remembering

    /// Remembers versions that could not be opened, as the relay sent them; those that are remembered stay as they are, but
    /// for those that came altered: the relay is asked for them again.
    func remember(_ versions: [Change], at relay: ReplicaID) throws(StoreFault) {
        for version in versions {
            let mark = VersionMark(of: version)
            let row = try database.connection.statement(
                """
                INSERT INTO unopened(relay, name, hash, clock, is_kept) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT(relay, name, hash) DO UPDATE SET is_kept = ?5 WHERE is_kept = ?6
                """)
            row.bind(1, identifier: relay.value)
            row.bind(2, identifier: mark.id.value)
            row.bind(3, identifier: mark.hash)
            row.bind(4, Self.bytes(of: version.clock))
            row.bind(5, Standing.untold.rawValue)
            row.bind(6, Standing.altered.rawValue)
            try row.run()
        }
        if versions.isEmpty { return }
        let excess = try database.connection.statement(
            """
            DELETE FROM unopened WHERE number IN (
                SELECT number FROM unopened ORDER BY number DESC LIMIT -1 OFFSET ?)
            """)
        excess.bind(1, Int64(Self.countMax))
        try excess.run()
    }

    /// Forgets the versions of records that are here now with all that these versions include.
    ///
    /// - Parameter records: the records by their relay names, with their clocks here.
    func forget(
        _ records: [(relayName: RecordName, clock: VersionVector)], at relay: ReplicaID
    ) throws(StoreFault) {
        for (name, clock) in records {
            try forget(in: try rows(of: name.id, at: relay)) { clock.covers($0.clock) }
        }
    }

    /// Forgets the versions at a relay that this store does not miss any more; those that the relay was not told of
    /// yet stay, and those that came altered.
    func forgetKnown(at relay: ReplicaID) throws(StoreFault) {
        let known = knowledge.replicas.knowledge
        try forget(in: try rows(at: relay)) { $0.standing == .kept && known.covers($0.clock) }
    }

    /// Forgets the versions at a relay that came altered, as all that it sends comes anew.
    func forgetAltered(at relay: ReplicaID) throws(StoreFault) {
        try forget(in: try rows(at: relay)) { $0.standing == .altered }
    }

    /// Takes a relay's word on versions: which it has, and which it has not.
    ///
    /// One that it has not was altered on the way.
    ///
    /// - Returns: how many were altered so.
    func settle(_ answer: UnreadableVersions, at relay: ReplicaID) throws(StoreFault) -> Int {
        for mark in answer.marks { _ = try set(.kept, mark, at: relay) }
        var alteredCount = 0
        for mark in answer.unknown { alteredCount += try set(.altered, mark, at: relay) }
        return alteredCount
    }

    private func set(
        _ standing: Standing, _ mark: VersionMark, at relay: ReplicaID
    ) throws(StoreFault) -> Int {
        let row = try database.connection.statement(
            "UPDATE unopened SET is_kept = ? WHERE relay = ? AND name = ? AND hash = ?")
        row.bind(1, standing.rawValue)
        row.bind(2, identifier: relay.value)
        row.bind(3, identifier: mark.id.value)
        row.bind(4, identifier: mark.hash)
        try row.run()
        return database.connection.changeCount
    }

    /// Has a relay be told of all of them again, as it was set back.
    func unsettle(at relay: ReplicaID) throws(StoreFault) {
        let row = try database.connection.statement(
            "UPDATE unopened SET is_kept = ? WHERE relay = ? AND is_kept = ?")
        row.bind(1, Standing.untold.rawValue)
        row.bind(2, identifier: relay.value)
        row.bind(3, Standing.kept.rawValue)
        try row.run()
    }

    /// Forgets all of it.
    func forgetAll() throws(StoreFault) {
        try database.connection.execute("DELETE FROM unopened")
    }

    // MARK: Looking

    /// The number of versions at a relay, and those among them that it was not told of.
    func found(at relay: ReplicaID) throws(StoreFault) -> Store.Unopened {
        var found = Store.Unopened()
        for row in try rows(at: relay) {
            found.count += 1
            if row.standing == .untold { found.untold.append(row.mark) }
        }
        return found
    }

    /// How many versions at a relay this store misses: what they include has come no other way.
    func missedCount(at relay: ReplicaID) throws(StoreFault) -> Int {
        let known = knowledge.replicas.knowledge
        return try rows(at: relay).count { !known.covers($0.clock) }
    }

    /// Whether none at a relay is remembered.
    func isEmpty(at relay: ReplicaID) throws(StoreFault) -> Bool {
        let row = try database.connection.statement(
            "SELECT 1 FROM unopened WHERE relay = ? LIMIT 1")
        row.bind(1, identifier: relay.value)
        defer { row.reset() }
        return try !row.step()
    }

    /// Whether versions are remembered that the relay does not have.
    func hasAltered(at relay: ReplicaID) throws(StoreFault) -> Bool {
        try rows(at: relay).contains { $0.standing == .altered }
    }

    /// Whether the relay has said of all at it that are remembered that it has them.
    func areAllKept(at relay: ReplicaID) throws(StoreFault) -> Bool {
        try rows(at: relay).allSatisfy { $0.standing == .kept }
    }

    /// The replicas in the clocks of the versions at a relay: of these, writes are missing here.
    func replicas(at relay: ReplicaID) throws(StoreFault) -> Set<ReplicaID> {
        var found: Set<ReplicaID> = []
        for row in try rows(at: relay) {
            for entry in row.clock.entries { found.insert(entry.replica) }
        }
        return found
    }

    // MARK: Rows

    /// The word of a relay on a version that it sent.
    private enum Standing: Int64 {
        /// It was not asked yet.
        case untold = 0
        /// It has the version.
        case kept
        /// It has none like that: the version was altered on the way.
        case altered
    }

    private struct Row {
        let number: Int64
        let mark: VersionMark
        let clock: VersionVector
        let standing: Standing
    }

    private func rows(of id: RecordID, at relay: ReplicaID) throws(StoreFault) -> [Row] {
        let rows = try database.connection.statement(
            """
            SELECT number, name, hash, clock, is_kept FROM unopened
            WHERE relay = ? AND name = ? ORDER BY number
            """)
        rows.bind(1, identifier: relay.value)
        rows.bind(2, identifier: id.value)
        return try read(rows)
    }

    private func rows(at relay: ReplicaID) throws(StoreFault) -> [Row] {
        let rows = try database.connection.statement(
            "SELECT number, name, hash, clock, is_kept FROM unopened WHERE relay = ? ORDER BY number"
        )
        rows.bind(1, identifier: relay.value)
        return try read(rows)
    }

    private func read(_ rows: PreparedStatement) throws(StoreFault) -> [Row] {
        defer { rows.reset() }
        var found: [Row] = []
        while try rows.step() {
            guard let id = rows.identifier(1), let hash = rows.identifier(2),
                let clock = Self.clock(rows.bytes(3)),
                let standing = Standing(rawValue: rows.int(4))
            else { throw database.corrupt("row \(rows.int(0)) of unopened versions is damaged") }
            found.append(
                Row(
                    number: rows.int(0), mark: VersionMark(id: RecordID(value: id), hash: hash),
                    clock: clock, standing: standing))
        }
        return found
    }

    private func forget(
        in rows: [Row], where isMoot: (Row) -> Bool
    ) throws(StoreFault) {
        for row in rows where isMoot(row) {
            let statement = try database.connection.statement(
                "DELETE FROM unopened WHERE number = ?")
            statement.bind(1, row.number)
            try statement.run()
        }
    }

    // MARK: Clocks

    /// The size of one entry of a clock: a replica and a counter.
    ///
    /// They may name replicas that no record here does, so
    /// these get no small numbers.
    private static let entryByteCount = 24

    private static func bytes(of clock: VersionVector) -> [UInt8] {
        clock.entries.flatMap { entry in
            entry.replica.bytes + withUnsafeBytes(of: entry.counter.bigEndian) { Array($0) }
        }
    }

    private static func clock(_ bytes: [UInt8]) -> VersionVector? {
        guard bytes.count % entryByteCount == 0 else { return nil }
        var entries: [VersionVector.Entry] = []
        for start in stride(from: 0, to: bytes.count, by: entryByteCount) {
            guard let replica = ReplicaID(bytes: bytes[start..<start + 16]) else { return nil }
            let counter = bytes[start + 16..<start + entryByteCount].reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            entries.append(VersionVector.Entry(replica: replica, counter: counter))
        }
        return VersionVector(sorted: entries)
    }
}

extension Store {
    /// The versions at a relay that could not be opened.
    package struct Unopened: Hashable, Sendable {
        /// How many there are.
        package var count = 0
        /// Those of which the relay has not said whether it has them.
        package var untold: [VersionMark] = []
    }

    /// The versions at a relay that could not be opened and are missed.
    ///
    /// - Parameter isSetBack: whether the relay was set back, and so may have forgotten what it was told.
    package func unopened(
        at relay: ReplicaID, isSetBack: Bool = false
    ) throws(StoreFault) -> Unopened {
        let found = try reading { () throws(StoreFault) in try unopened.found(at: relay) }
        guard isSetBack, found.count > found.untold.count else { return found }
        return try database.changing { () throws(StoreFault) in
            try unopened.unsettle(at: relay)
            return try unopened.found(at: relay)
        }
    }

    /// The names of the records and deferred changes that came or changed after an arrival number, and the last one.
    package func recordNames(
        after sequence: UInt64 = 0
    ) throws(StoreFault) -> (names: [RecordName], through: UInt64) {
        try reading { () throws(StoreFault) in
            (
                try records.names(after: sequence) + deferred.names(after: sequence),
                knowledge.sequence
            )
        }
    }

    /// Calls `body` with each of some records and deferred changes, whole, as a relay gets them: one at a time, as
    /// their bodies may be large.
    package func forEachChange(
        of names: Set<RecordName>, _ body: (Change) throws(StoreFault) -> Void
    ) throws(StoreFault) {
        try reading { () throws(StoreFault) in
            for name in names.sorted() {
                if let stored = try records.find(name) { try body(Change(stored, known: nil)) }
                for item in try deferred.all(of: name) {
                    let change = item.change
                    try body(
                        Change(
                            change.name, clock: change.clock, body: change.body, isDeferred: true))
                }
            }
        }
    }

    /// Takes a relay's word on versions that a device could not open, in one transaction.
    ///
    /// - Parameter names: records that get a new arrival number and so are uploaded once more: the relay has versions
    ///   of them that cannot be opened.
    /// - Returns: whether the relay is to be read anew: it sent versions that it does not have, for the first time in a day or
    ///   more. After that it is read so seldom.
    package func settleUnopened(
        _ answer: UnreadableVersions, at relay: ReplicaID, uploadingAgain names: [RecordName]
    ) throws(StoreFault) -> Bool {
        try database.changing { () throws(StoreFault) in
            for name in names {
                if let stored = try records.find(name) {
                    // A record made here is known by its arrival number until it is in the journal.
                    if stored.record.onlyWrite?.dot.replica == replica {
                        try journal.noteMaking(of: stored)
                    }
                    try records.renumber(stored)
                }
                try deferred.renumber(name)
            }
            guard try unopened.settle(answer, at: relay) > 0, try lacks.noteAltering(of: relay)
            else {
                return false
            }
            _ = try checkpoints.noteMismatch(of: relay)
            return true
        }
    }
}
