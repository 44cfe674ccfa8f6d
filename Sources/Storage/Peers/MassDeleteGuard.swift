import Core

/// The part of a store that holds deletes on a great scale until somebody has said that they are meant.
///
/// Owns the tables `mass_delete_count` and `held_example`. Deletes by sessions are counted in the store, so that neither batches,
/// nor a link that breaks, nor a second way to the same writes lets through in parts what would be held
/// as a whole.
final class MassDeleteGuard {
    /// The field of a device's record with the number of deletes that are held there; absent or null if
    /// none are.
    ///
    /// Source: Protocol/11-Pairing.md §3.
    static let heldField: UInt32 = 9

    /// The fate of a change set.
    enum Verdict {
        case passes
        /// It may be merged once there is a snapshot.
        case wantsSnapshot
        /// It may not be merged; so many deletes, of so many live records.
        case holds(deleted: Int, live: Int)
    }

    /// The status of the deletes in a row.
    private enum Status {
        static let counted: Int64 = 0
        static let held: Int64 = 1
        static let accepted: Int64 = 2
    }

    /// One peer's row.
    private struct Count {
        var deleted = 0
        var added = 0
        var live: Int?
        var since: Int64
        var touched: Int64 = 0
        var status = Status.counted
        var wanted = 0
        var snapshot: String?
        /// Whether all that the peer had was taken in since.
        var isComplete = false
        /// The replicas that made the deletes that were held, and the highest counter of these writes.
        var authors = VersionVector()
    }

    private let database: Database
    private let knowledge: Knowledge
    private let records: Records
    unowned let store: Store

    init(_ store: Store) {
        database = store.database
        knowledge = store.knowledge
        records = store.records
        self.store = store
    }

    private var connection: Connection { database.connection }
    private var environment: StoreEnvironment { database.environment }
    private func snapshots() -> [Store.Snapshot] { store.copies.all }

    // MARK: Held deletes

    /// The deletes of some peers that are held, oldest first; of all peers for nil.
    func heldDeletes(of peers: [ReplicaID]? = nil) throws(StoreFault) -> [HeldDeletes] {
        try database.reading { () throws(StoreFault) in
            let rows = try connection.statement(
                """
                SELECT peer, wanted, live, since, snapshot, deleted, authors FROM mass_delete_count
                WHERE status = \(Status.held) ORDER BY since, peer
                """)
            defer { rows.reset() }
            var found: [HeldDeletes] = []
            lazy var there = Set(snapshots().map(\.name))
            while try rows.step() {
                guard let value = rows.identifier(0) else { continue }
                let peer = ReplicaID(value: value)
                if let peers, !peers.contains(peer) { continue }
                let snapshot = rows.text(4)
                let isThere = there.contains(snapshot)
                var held = HeldDeletes(
                    peer: peer, deletedCount: Int(rows.int(1)),
                    takenCount: Int(rows.int(5)), liveCount: Int(rows.int(2)),
                    since: rows.int(3),
                    snapshot: isThere ? snapshot : "",
                    isSnapshotGone: !isThere && !snapshot.isEmpty)
                held.deleters = Self.authors(rows.bytes(6)).entries.map(\.replica)
                held.examples = try examples(of: held.peer)
                found.append(held)
            }
            return found
        }
    }

    /// Some of the records that held deletes of a peer would delete.
    private func examples(of peer: ReplicaID) throws(StoreFault) -> [RecordName] {
        let rows = try connection.statement(
            "SELECT id, collection FROM held_example WHERE peer = ? ORDER BY number")
        rows.bind(1, identifier: peer.value)
        return try rows.recordNames()
    }

    private func save(_ examples: [RecordName], of peer: ReplicaID) throws(StoreFault) {
        try connection.execute(
            """
            DELETE FROM held_example WHERE peer NOT IN
                (SELECT peer FROM mass_delete_count WHERE status = \(Status.held))
            """)
        for (number, name) in examples.enumerated() {
            let row = try connection.statement(
                "INSERT OR REPLACE INTO held_example VALUES (?, ?, ?, ?)")
            row.bind(1, identifier: peer.value)
            row.bind(2, Int64(number))
            row.bind(3, identifier: name.id.value)
            row.bind(4, name.collection.canonicalBytes)
            try row.run()
        }
    }

    /// Whether deletes of a peer wait for a person's word.
    func holdsDeletes(of peer: ReplicaID) throws(StoreFault) -> Bool {
        try database.reading { () throws(StoreFault) in
            try self.count(of: peer)?.status == Status.held
        }
    }

    /// Says that the deletes that are held are meant: the next session with that peer merges them.
    ///
    /// It holds until that session has taken in all that the peer had, a day at most, and for as many
    /// deletes as were shown and a few more: what goes beyond is held again.
    ///
    /// - Parameter peers: whose; nil for all that are held.
    func acceptDeletes(of peers: [ReplicaID]? = nil) throws(StoreFault) {
        let held = try heldDeletes(of: peers)
        let now = environment.wallMilliseconds()
        try database.changing { () throws(StoreFault) in
            for deletes in held {
                let row = try connection.statement(
                    """
                    UPDATE mass_delete_count SET status = \(Status.accepted), since = ?1, touched = ?1,
                        snapshot = ?2
                    WHERE peer = ?3 AND status = \(Status.held)
                    """)
                row.bind(1, now)
                // Writes since an older one was taken are to be in a new one.
                if isRecent(deletes.snapshot, at: now) {
                    row.bind(2, deletes.snapshot)
                } else {
                    row.bindNull(2)
                }
                row.bind(3, identifier: deletes.peer.value)
                try row.run()
            }
        }
        try publishHeldDeletes()
    }

    /// Says that the deletes that are held are not meant: their records come back whenever they are deleted by them.
    ///
    /// - Returns: how many peers' deletes were held.
    func refuseDeletes(
        of peers: [ReplicaID]?, outcasts: Set<ReplicaID>, by refusals: DeleteRefusals
    ) throws(StoreFault) -> Int {
        let held = try heldDeletes(of: peers)
        if held.isEmpty { return 0 }
        try database.changing { () throws(StoreFault) in
            for deletes in held {
                let authors = try count(of: deletes.peer)?.authors ?? VersionVector()
                try refusals.refuse(authors, outcasts: outcasts)
                try refusals.noteTaken(deletes)
                let row = try connection.statement("DELETE FROM mass_delete_count WHERE peer = ?")
                row.bind(1, identifier: deletes.peer.value)
                try row.run()
            }
        }
        try publishHeldDeletes()
        return held.count
    }

    /// The peers of whom deletes are held that some replicas alone have made.
    func peers(holdingDeletesOf replicas: Set<ReplicaID>) throws(StoreFault) -> [ReplicaID] {
        try database.reading { () throws(StoreFault) in
            var found: [ReplicaID] = []
            for held in try heldDeletes() {
                let authors = try count(of: held.peer)?.authors.entries ?? []
                if authors.allSatisfy({ replicas.contains($0.replica) }) { found.append(held.peer) }
            }
            return found
        }
    }

    // MARK: Counting

    /// A session begins: what an earlier one with this peer deleted and brought to its end is over.
    func beginCounting(_ peer: ReplicaID) throws(StoreFault) {
        let row = try connection.statement(
            "DELETE FROM mass_delete_count WHERE peer = ? AND is_complete = 1 AND status = \(Status.counted)"
        )
        row.bind(1, identifier: peer.value)
        try row.run()
    }

    /// All that the peer had was taken in.
    func endCounting(_ peer: ReplicaID) throws(StoreFault) {
        // Deletes that are set aside stay held until they are answered or come another way.
        if try store.heldChanges.count(of: peer) > 0 { return try useUpAnswers() }
        let over = try connection.statement(
            "DELETE FROM mass_delete_count WHERE peer = ? AND status <> \(Status.counted)")
        over.bind(1, identifier: peer.value)
        try over.run()
        let row = try connection.statement(
            "UPDATE mass_delete_count SET is_complete = 1 WHERE peer = ?")
        row.bind(1, identifier: peer.value)
        try row.run()
        try useUpAnswers()
    }

    /// Forgets the answers for deletes that are all here by now, whichever way they came: others are asked for anew.
    private func useUpAnswers() throws(StoreFault) {
        for (peer, _, authors) in try accepted() {
            let areHere = authors.entries.allSatisfy { author in
                knowledge.replicas.index(of: author.replica)
                    .map { knowledge.replicas[$0].counter >= author.counter } ?? false
            }
            guard areHere, !authors.isEmpty else { continue }
            let row = try connection.statement("DELETE FROM mass_delete_count WHERE peer = ?")
            row.bind(1, identifier: peer)
            try row.run()
        }
    }

    /// Counts deletes that were set aside as taken, before they are merged: the answer for them serves for no others.
    func useUp(_ deleted: Int, of peer: ReplicaID) throws(StoreFault) {
        guard var count = try count(of: peer) else { return }
        count.deleted += deleted
        if count.deleted >= count.wanted { return try forget(peer) }
        try save(count, of: peer, at: environment.wallMilliseconds())
    }

    /// The answers that were given and not used up: for whose session, for how many deletes, and who made these.
    ///
    /// - Parameter now: only those that still stand then; nil for all.
    private func accepted(
        at now: Int64? = nil
    ) throws(StoreFault) -> [(
        peer: UInt128, wanted: Int, authors: VersionVector
    )] {
        let rows = try connection.statement(
            """
            SELECT peer, wanted, authors FROM mass_delete_count
            WHERE status = \(Status.accepted) AND (?1 IS NULL OR abs(?1 - since) <= ?2)
            """)
        if let now { rows.bind(1, now) } else { rows.bindNull(1) }
        rows.bind(2, MassDeleteLimits.windowMilliseconds)
        defer { rows.reset() }
        var found: [(peer: UInt128, wanted: Int, authors: VersionVector)] = []
        while try rows.step() {
            guard let peer = rows.identifier(0) else { continue }
            found.append((peer, Int(rows.int(1)), Self.authors(rows.bytes(2))))
        }
        return found
    }

    /// Whether something was counted of a peer and not yet brought to its end.
    func isCounting(_ peer: ReplicaID) throws(StoreFault) -> Bool {
        let row = try connection.statement(
            "SELECT 1 FROM mass_delete_count WHERE peer = ? AND is_complete = 0")
        row.bind(1, identifier: peer.value)
        defer { row.reset() }
        return try row.step()
    }

    /// Judges a change set that is merged and not committed, and counts it.
    ///
    /// - Parameter snapshot: the snapshot that was taken for it, if one was.
    func check(
        _ arrivals: ArrivalCount, from peer: ReplicaID, snapshot: String?
    ) throws(StoreFault) -> Verdict {
        guard let massDeleteGuard = database.options.massDeleteGuard else { return .passes }
        let now = environment.wallMilliseconds()
        let found = try self.count(of: peer)
        var count = current(found, at: now)
        if found == nil, arrivals.deleted <= 0, arrivals.added == 0 { return .passes }
        // Records added by a session that ended count as the store's own by now.
        if count.isComplete, count.status == Status.counted { (count.added, count.live) = (0, nil) }
        count.deleted = max(0, count.deleted + arrivals.deleted)
        count.added += arrivals.added
        if !isThere(count.snapshot) { count.snapshot = nil }
        count.snapshot = snapshot ?? count.snapshot
        let verdict =
            arrivals.deleted > 0
            ? try judge(&count, arrivals, of: peer, by: massDeleteGuard, at: now) : .passes
        if case .passes = verdict { try save(count, of: peer, at: now) }
        return verdict
    }

    private func judge(
        _ count: inout Count, _ arrivals: ArrivalCount, of peer: ReplicaID,
        by massDeleteGuard: MassDeleteLimits,
        at now: Int64
    ) throws(StoreFault) -> Verdict {
        let beside = try deletedBeside(peer, at: now)
        let deleted = count.deleted + beside.deleted
        if deleted <= massDeleteGuard.freeCount { return .passes }
        let live = try liveCount(before: count, deleted: deleted)
        count.live = live
        if massDeleteGuard.holds(deleted, of: live) {
            var isAccepted =
                count.status == Status.accepted
                && massDeleteGuard.covers(deleted, accepted: count.wanted)
            if !isAccepted, let wanted = try acceptedBeside(arrivals.deleters, at: now) {
                isAccepted = massDeleteGuard.covers(deleted, accepted: wanted)
            }
            if !isAccepted { return .holds(deleted: deleted, live: live) }
        }
        count.snapshot = count.snapshot ?? beside.snapshot
        return count.snapshot == nil && massDeleteGuard.wantsSnapshot(deleted, of: live)
            ? .wantsSnapshot : .passes
    }

    /// Whether a snapshot that was taken for deletes is still there; "", for which there was no room, counts.
    private func isThere(_ snapshot: String?) -> Bool {
        guard let snapshot, !snapshot.isEmpty else { return snapshot != nil }
        return snapshots().contains { $0.name == snapshot }
    }

    /// Whether a snapshot is there and so new that it serves for other deletes as well.
    private func isRecent(_ snapshot: String, at now: Int64) -> Bool {
        guard let found = snapshots().first(where: { $0.name == snapshot }) else { return false }
        return abs(now - found.time) <= MassDeleteLimits.snapshotAgeMilliseconds
    }

    /// Holds what would have been deleted.
    ///
    /// - Parameter examples: some of the records.
    func hold(
        _ deleted: Int, of live: Int, by authors: VersionVector, examples: [RecordName],
        from peer: ReplicaID, snapshot: String?
    ) throws(StoreFault) -> HeldDeletes {
        let now = environment.wallMilliseconds()
        let known = try database.reading { () throws(StoreFault) in
            (
                count: try self.count(of: peer), beside: try deletedBeside(peer, at: now).snapshot,
                held: try heldDeletes().first { $0.peer == peer }
            )
        }
        var count = current(known.count, at: now)
        if !isThere(count.snapshot) { count.snapshot = nil }
        // Tried again and again, they are seldom written down.
        if let held = known.held, held.deletedCount == deleted, count.snapshot != nil,
            count.authors.covers(authors),
            abs(now - count.touched) <= MassDeleteLimits.heldNoteMilliseconds
        {
            return held
        }
        let snapshot = snapshot ?? count.snapshot ?? known.beside ?? store.copies.makeIfPossible()
        if count.status != Status.held { count.since = now }
        count.live = live
        count.status = Status.held
        count.wanted = deleted
        count.snapshot = snapshot
        count.authors.join(authors)
        try database.changing { () throws(StoreFault) in
            try save(count, of: peer, at: now)
            try save(examples, of: peer)
        }
        var held = HeldDeletes(
            peer: peer, deletedCount: deleted, takenCount: count.deleted, liveCount: live,
            since: count.since, snapshot: snapshot)
        held.deleters = count.authors.entries.map(\.replica)
        held.examples = examples
        return held
    }

    /// Judges deletes that somebody outside of the space is about to make here, and counts them; what is over the limit
    /// is held.
    ///
    /// - Parameters:
    ///   - peer: stands for the one who makes them; no replica's id.
    ///   - examples: some of the records.
    /// - Returns: whether they may be made.
    func admits(
        _ deleted: Int, by peer: ReplicaID, examples: [RecordName]
    ) throws(StoreFault) -> Bool {
        guard let limits = database.options.massDeleteGuard, deleted > 0 else { return true }
        let now = environment.wallMilliseconds()
        let known = try database.reading { () throws(StoreFault) in
            (count: try self.count(of: peer), beside: try deletedBeside(peer, at: now))
        }
        var count = current(known.count, at: now)
        let earlier = count.deleted + known.beside.deleted
        let live = records.counts.liveCount + earlier
        let all = earlier + deleted
        if limits.holds(all, of: live) {
            let isAccepted =
                count.status == Status.accepted && limits.covers(all, accepted: count.wanted)
            guard isAccepted else {
                _ = try hold(
                    all, of: live, by: VersionVector(), examples: examples, from: peer,
                    snapshot: nil)
                try publishHeldDeletes()
                return false
            }
        } else if count.status == Status.held {
            count.status = Status.counted
        }
        if !isThere(count.snapshot) { count.snapshot = nil }
        count.snapshot = count.snapshot ?? known.beside.snapshot
        if count.snapshot == nil, limits.wantsSnapshot(all, of: live) {
            count.snapshot = store.copies.makeIfPossible()
        }
        count.deleted += deleted
        count.live = live
        try database.changing { () throws(StoreFault) in try save(count, of: peer, at: now) }
        return true
    }

    /// Holds deletes of a peer that were set aside.
    ///
    /// - Parameters:
    ///   - count: how many of that peer are by now.
    ///   - live: how many records were alive, if none of that peer were held before.
    func holdUnmerged(
        _ count: Int, of live: Int, by authors: VersionVector, from peer: ReplicaID
    ) throws(StoreFault) -> HeldDeletes {
        let known = try heldDeletes().first { $0.peer == peer }
        return try hold(
            max(known?.deletedCount ?? 0, (known?.takenCount ?? 0) + count),
            of: known?.liveCount ?? live, by: authors,
            examples: try store.heldChanges.names(
                of: peer, countMax: MassDeleteLimits.exampleCountMax),
            from: peer, snapshot: nil)
    }

    /// The count that goes on; a new one if the last is too long ago.
    private func current(_ count: Count?, at now: Int64) -> Count {
        guard let count,
            count.status == Status.held
                || abs(now - count.since) <= MassDeleteLimits.windowMilliseconds
        else { return Count(since: now) }
        return count
    }

    private func count(of peer: ReplicaID) throws(StoreFault) -> Count? {
        let row = try connection.statement(
            """
            SELECT deleted, added, live, since, status, snapshot, wanted, is_complete, touched, authors
            FROM mass_delete_count WHERE peer = ?
            """
        )
        row.bind(1, identifier: peer.value)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return Count(
            deleted: Int(row.int(0)), added: Int(row.int(1)),
            live: row.isNull(2) ? nil : Int(row.int(2)), since: row.int(3), touched: row.int(8),
            status: row.int(4), wanted: Int(row.int(6)),
            snapshot: row.isNull(5) ? nil : row.text(5),
            isComplete: row.int(7) == 1, authors: Self.authors(row.bytes(9)))
    }

    private func save(
        _ count: Count, of peer: ReplicaID, at now: Int64
    ) throws(StoreFault) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO mass_delete_count VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)")
        row.bind(1, identifier: peer.value)
        row.bind(2, Int64(count.deleted))
        row.bind(3, Int64(count.added))
        if let live = count.live { row.bind(4, Int64(live)) } else { row.bindNull(4) }
        row.bind(5, Int64(count.wanted))
        row.bind(6, count.since)
        row.bind(7, now)
        row.bind(8, count.status)
        if let snapshot = count.snapshot { row.bind(9, snapshot) } else { row.bindNull(9) }
        row.bind(10, Self.bytes(of: count.authors))
        try row.run()
        for old in try untouched(at: now) { try forget(old) }
    }

    /// The peers whose rows are to be dropped: peers that take new ids leave nothing behind for ever.
    ///
    /// Deletes that are set aside do not come again: their row stays until they are answered.
    private func untouched(at now: Int64) throws(StoreFault) -> [ReplicaID] {
        let rows = try connection.statement(
            """
            SELECT peer FROM mass_delete_count WHERE abs(?1 - touched) >
                CASE status WHEN \(Status.held) THEN ?2 ELSE ?3 END
            """)
        rows.bind(1, now)
        rows.bind(2, MassDeleteLimits.heldMilliseconds)
        rows.bind(3, MassDeleteLimits.windowMilliseconds)
        var found: [ReplicaID] = []
        defer { rows.reset() }
        while try rows.step() {
            if let peer = rows.identifier(0) { found.append(ReplicaID(value: peer)) }
        }
        if found.isEmpty { return [] }
        let unmerged = Set(try store.heldChanges.peers())
        return found.filter { !unmerged.contains($0) }
    }

    /// The number of deletes by sessions with others that go on beside this one or are held, and the newest
    /// snapshot that was taken for them, if it is new enough to serve for these as well.
    ///
    /// Others that are held count for as long as they come again.
    private func deletedBeside(
        _ peer: ReplicaID, at now: Int64
    ) throws(StoreFault) -> (deleted: Int, snapshot: String?) {
        let row = try connection.statement(
            """
            SELECT deleted, snapshot FROM mass_delete_count WHERE peer <> ?1
            AND abs(?2 - touched) <= CASE status
                WHEN \(Status.held) THEN ?3 WHEN \(Status.counted) THEN ?4 ELSE -1 END
            """)
        row.bind(1, identifier: peer.value)
        row.bind(2, now)
        row.bind(3, MassDeleteLimits.windowMilliseconds)
        row.bind(4, MassDeleteLimits.besideMilliseconds)
        defer { row.reset() }
        var deleted = 0
        var named: Set<String> = []
        while try row.step() {
            deleted += Int(row.int(0))
            if !row.isNull(1) { named.insert(row.text(1)) }
        }
        if named.isEmpty { return (deleted, nil) }
        let newest = snapshots().last { named.contains($0.name) }
        return (deleted, newest.flatMap { isRecent($0.name, at: now) ? $0.name : nil })
    }

    /// For how many deletes by these replicas a word was given, when they came another way; nil if for none.
    private func acceptedBeside(
        _ authors: VersionVector, at now: Int64
    ) throws(StoreFault) -> Int? {
        try accepted(at: now).filter { answer in
            authors.entries.allSatisfy { answer.authors.counter(of: $0.replica) > 0 }
        }.map { $0.wanted }.max()
    }

    /// The snapshots that were taken for deletes which still count, or are held.
    func neededSnapshots() throws(StoreFault) -> Set<String> {
        try database.reading { () throws(StoreFault) in
            let row = try connection.statement(
                "SELECT snapshot FROM mass_delete_count WHERE snapshot IS NOT NULL")
            defer { row.reset() }
            var names: Set<String> = []
            while try row.step() { names.insert(row.text(0)) }
            return names
        }
    }

    /// How many records were alive before sessions deleted so many of them; devices do not count.
    private func liveCount(before count: Count, deleted: Int) throws(StoreFault) -> Int {
        if let live = count.live { return live }
        return records.counts.liveCount + deleted - count.added
    }

    /// Forgets what was counted of a peer, and that its deletes are held.
    func forget(_ peer: ReplicaID) throws(StoreFault) {
        let row = try connection.statement("DELETE FROM mass_delete_count WHERE peer = ?")
        row.bind(1, identifier: peer.value)
        try row.run()
    }

    /// Forgets all counts.
    func forgetAll() throws(StoreFault) {
        try connection.execute("DELETE FROM mass_delete_count")
    }
}

/// The makers of deletes, in a column.
extension MassDeleteGuard {
    /// An id of 16 bytes and a counter of 8, for each.
    private static let entryByteCount = 24

    private static func bytes(of authors: VersionVector) -> [UInt8] {
        authors.entries.flatMap { entry in
            withUnsafeBytes(of: entry.replica.value.bigEndian, Array.init)
                + withUnsafeBytes(of: entry.counter.bigEndian, Array.init)
        }
    }

    private static func authors(_ bytes: [UInt8]) -> VersionVector {
        var found = VersionVector()
        for start in stride(from: 0, through: bytes.count - entryByteCount, by: entryByteCount) {
            guard let replica = ReplicaID(bytes: bytes[start..<start + 16]) else { return found }
            let counter = bytes[start + 16..<start + entryByteCount].reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            found.include(counter, of: replica)
        }
        return found
    }
}
