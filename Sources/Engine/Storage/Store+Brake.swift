import Causality
import Records

/// The brake: deletes on a great scale wait until somebody has said that they are meant.
///
/// What sessions deleted is counted in the store, so that neither batches, nor a link that breaks, nor a
/// second way to the same writes lets through in parts what would be held as a whole.
extension Store {
    /// What becomes of a change set.
    enum BrakeVerdict {
        case passes
        /// It may be merged once there is a snapshot.
        case wantsSnapshot
        /// It may not be merged; so many deletes, of so many live records.
        case holds(deleted: Int, live: Int)
    }

    /// What a row of the table `brake` says of its deletes.
    private enum Status {
        static let counted: Int64 = 0
        static let held: Int64 = 1
        static let accepted: Int64 = 2
    }

    /// One peer's row.
    private struct BrakeCount {
        var deleted = 0
        var added = 0
        var live: Int?
        var since: Int64
        var status = Status.counted
        var wanted = 0
        var snapshot: String?
        /// Whether all that the peer had was taken in since.
        var isComplete = false
    }

    /// The deletes that wait for a person's word, oldest first.
    package func heldDeletes() throws(StoreFault) -> [HeldDeletes] {
        try reading { () throws(StoreFault) in
            let rows = try connection.statement(
                """
                SELECT peer, wanted, live, since, snapshot FROM brake_count
                WHERE status = \(Status.held) ORDER BY since, peer
                """)
            defer { rows.reset() }
            var found: [HeldDeletes] = []
            while try rows.step() {
                guard let peer = rows.identifier(0) else { continue }
                found.append(
                    HeldDeletes(
                        peer: ReplicaID(value: peer), deletedCount: Int(rows.int(1)),
                        liveCount: Int(rows.int(2)), since: rows.int(3), snapshot: rows.text(4)))
            }
            return found
        }
    }

    /// Whether deletes of a peer wait for a person's word.
    package func holdsDeletes(of peer: ReplicaID) throws(StoreFault) -> Bool {
        try reading { () throws(StoreFault) in
            try self.count(of: peer)?.status == Status.held
        }
    }

    /// Says that the deletes that are held are meant: the next session with that peer merges them.
    ///
    /// It holds until that session has taken in all that the peer had, a day at most.
    ///
    /// - Parameter peer: whose; nil for all that are held.
    /// - Returns: how many peers' deletes were held.
    @discardableResult
    package func acceptDeletes(of peer: ReplicaID? = nil) throws(StoreFault) -> Int {
        let held = try heldDeletes().filter { peer == nil || $0.peer == peer }
        if held.isEmpty { return 0 }
        let now = environment.wallMilliseconds()
        try changing { () throws(StoreFault) in
            for deletes in held {
                let row = try connection.statement(
                    """
                    UPDATE brake_count SET status = \(Status.accepted), since = ?, touched = ?
                    WHERE peer = ? AND status = \(Status.held)
                    """)
                row.bind(1, now)
                row.bind(2, now)
                row.bind(3, identifier: deletes.peer.value)
                try row.run()
            }
        }
        try tellHeldDeletes()
        return held.count
    }

    // MARK: Counting

    /// A session begins: what an earlier one with this peer deleted and brought to its end is over.
    func beginCounting(_ peer: ReplicaID) throws(StoreFault) {
        let row = try connection.statement(
            "DELETE FROM brake_count WHERE peer = ? AND is_complete = 1 AND status = \(Status.counted)"
        )
        row.bind(1, identifier: peer.value)
        try row.run()
    }

    /// All that the peer had was taken in.
    func endCounting(_ peer: ReplicaID) throws(StoreFault) {
        let over = try connection.statement(
            "DELETE FROM brake_count WHERE peer = ? AND status <> \(Status.counted)")
        over.bind(1, identifier: peer.value)
        try over.run()
        let row = try connection.statement("UPDATE brake_count SET is_complete = 1 WHERE peer = ?")
        row.bind(1, identifier: peer.value)
        try row.run()
    }

    /// Whether something was counted of a peer and not yet brought to its end.
    func isCounting(_ peer: ReplicaID) throws(StoreFault) -> Bool {
        let row = try connection.statement(
            "SELECT 1 FROM brake_count WHERE peer = ? AND is_complete = 0")
        row.bind(1, identifier: peer.value)
        defer { row.reset() }
        return try row.step()
    }

    /// Judges a change set that is merged and not committed, and counts it.
    ///
    /// - Parameter snapshot: the snapshot that was taken for it, if one was.
    func weigh(
        _ arrivals: ArrivalCount, from peer: ReplicaID, snapshot: String?
    ) throws(StoreFault) -> BrakeVerdict {
        guard let brake = options.brake else { return .passes }
        let now = environment.wallMilliseconds()
        let found = try self.count(of: peer)
        var count = current(found, at: now)
        if found == nil, arrivals.deleted <= 0, arrivals.added == 0 { return .passes }
        // What a session has added and brought to its end is the store's own by now.
        if count.isComplete, count.status == Status.counted { (count.added, count.live) = (0, nil) }
        count.deleted = max(0, count.deleted + arrivals.deleted)
        count.added += arrivals.added
        count.snapshot = snapshot ?? count.snapshot
        let isAsked = arrivals.deleted > 0 && count.status != Status.accepted
        let verdict = isAsked ? try judge(&count, of: peer, by: brake, at: now) : .passes
        if case .passes = verdict { try save(count, of: peer, at: now) }
        return verdict
    }

    private func judge(
        _ count: inout BrakeCount, of peer: ReplicaID, by brake: DeletionBrake, at now: Int64
    ) throws(StoreFault) -> BrakeVerdict {
        let beside = try deletedBeside(peer, at: now)
        let deleted = count.deleted + beside.deleted
        if deleted <= brake.freeCount { return .passes }
        let live = try liveCount(before: count, deleted: deleted)
        count.live = live
        if brake.holds(deleted, of: live) { return .holds(deleted: deleted, live: live) }
        count.snapshot = count.snapshot ?? beside.snapshot
        return count.snapshot == nil && brake.wantsSnapshot(deleted, of: live)
            ? .wantsSnapshot : .passes
    }

    /// Holds what would have been deleted.
    func hold(
        _ deleted: Int, of live: Int, from peer: ReplicaID, snapshot: String?
    ) throws(StoreFault) -> HeldDeletes {
        let now = environment.wallMilliseconds()
        let known = try reading { () throws(StoreFault) in
            (
                count: try self.count(of: peer), beside: try deletedBeside(peer, at: now).snapshot,
                held: try heldDeletes().first { $0.peer == peer }
            )
        }
        // Tried again and again, they are written down once.
        if let held = known.held, held.deletedCount == deleted { return held }
        var count = current(known.count, at: now)
        let snapshot = snapshot ?? count.snapshot ?? known.beside ?? snapshotIfPossible()
        if count.status != Status.held { count.since = now }
        count.live = live
        count.status = Status.held
        count.wanted = deleted
        count.snapshot = snapshot
        try changing { () throws(StoreFault) in
            try save(count, of: peer, at: now)
        }
        return HeldDeletes(
            peer: peer, deletedCount: deleted, liveCount: live, since: count.since,
            snapshot: snapshot)
    }

    /// What counts on; or nothing, if that is too long ago.
    private func current(_ count: BrakeCount?, at now: Int64) -> BrakeCount {
        guard let count,
            count.status == Status.held
                || abs(now - count.since) <= DeletionBrake.windowMilliseconds
        else { return BrakeCount(since: now) }
        return count
    }

    private func count(of peer: ReplicaID) throws(StoreFault) -> BrakeCount? {
        let row = try connection.statement(
            """
            SELECT deleted, added, live, since, status, snapshot, wanted, is_complete
            FROM brake_count WHERE peer = ?
            """
        )
        row.bind(1, identifier: peer.value)
        defer { row.reset() }
        guard try row.step() else { return nil }
        return BrakeCount(
            deleted: Int(row.int(0)), added: Int(row.int(1)),
            live: row.isNull(2) ? nil : Int(row.int(2)), since: row.int(3), status: row.int(4),
            wanted: Int(row.int(6)), snapshot: row.isNull(5) ? nil : row.text(5),
            isComplete: row.int(7) == 1)
    }

    private func save(
        _ count: BrakeCount, of peer: ReplicaID, at now: Int64
    ) throws(StoreFault) {
        let row = try connection.statement(
            "INSERT OR REPLACE INTO brake_count VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)")
        row.bind(1, identifier: peer.value)
        row.bind(2, Int64(count.deleted))
        row.bind(3, Int64(count.added))
        if let live = count.live { row.bind(4, Int64(live)) } else { row.bindNull(4) }
        row.bind(5, Int64(count.wanted))
        row.bind(6, count.since)
        row.bind(7, now)
        row.bind(8, count.status)
        if let snapshot = count.snapshot { row.bind(9, snapshot) } else { row.bindNull(9) }
        try row.run()
        // Peers that take new ids leave nothing behind for ever.
        let old = try connection.statement(
            "DELETE FROM brake_count WHERE status <> \(Status.held) AND abs(? - touched) > ?")
        old.bind(1, now)
        old.bind(2, DeletionBrake.windowMilliseconds)
        try old.run()
    }

    /// What was deleted by sessions with others that go on beside this one or are held, and a snapshot that
    /// was taken before.
    private func deletedBeside(
        _ peer: ReplicaID, at now: Int64
    ) throws(StoreFault) -> (deleted: Int, snapshot: String?) {
        let row = try connection.statement(
            """
            SELECT coalesce(sum(deleted), 0), max(snapshot) FROM brake_count WHERE peer <> ?
            AND (status = \(Status.held)
                OR status = \(Status.counted) AND abs(? - touched) <= ?)
            """)
        row.bind(1, identifier: peer.value)
        row.bind(2, now)
        row.bind(3, DeletionBrake.besideMilliseconds)
        defer { row.reset() }
        guard try row.step() else { return (0, nil) }
        return (Int(row.int(0)), row.isNull(1) ? nil : row.text(1))
    }

    /// How many records were alive before sessions deleted so many of them; devices do not count.
    private func liveCount(
        before count: BrakeCount, deleted: Int
    ) throws(StoreFault) -> Int {
        if let live = count.live { return live }
        return try liveCount() + deleted - count.added
    }

    private func liveCount() throws(StoreFault) -> Int {
        var count: Int64 = 0
        for collection in collections where collection.id != .devices {
            count += try connection.number(
                "SELECT count(*) FROM \(collection.table) WHERE state = \(RowState.live)")
        }
        return Int(count)
    }
}
