import Core

/// The few facts of a store that every transaction reads, held in memory while nobody else writes.
struct StoreState {
    var space = SpaceID(value: 0)
    var policy = DeletePolicy.deletesWin
    var hash = SipHash()
    /// This replica's index in the table of replicas.
    var ownIndex = 0 { didSet { isOwnerChanged = true } }
    /// The last arrival number given.
    var sequence: UInt64 = 0
    /// The same as the database has it.
    var savedSequence: UInt64 = 0
    /// Whether the digest was counted anew in this transaction.
    var isDigestChanged = false
    /// The sum of H(canonical bytes) over all records.
    var digest: UInt128 = 0
    var clock = HybridClock()
    var deviceName = "" { didSet { isOwnerChanged = true } }
    /// Whether what hardly ever changes was changed in this transaction.
    var isOwnerChanged = false
    var replicas = ReplicaTable(hash: SipHash())
    /// The joined clocks of deferred changes, by record.
    var deferred: [RecordName: VersionVector] = [:]
    /// This replica.
    var replica: ReplicaID { replicas[ownIndex].replica }

    /// How many writes this replica has made.
    var counter: UInt64 { replicas[ownIndex].counter }

    /// Whether records have changed in this transaction.
    var hasArrivals: Bool { sequence != savedSequence }

    /// The state summary of the store, and the sum of the hashes of its entries.
    var summary: (stateSummary: StateSummary, sum: UInt128) {
        var (summary, sum) = replicas.summary()
        let clocks = deferred.isEmpty ? nil : replicas.integratedClocks
        summary.digest = Digest(contents: digest, clocks: clocks)
        return (summary, sum)
    }
}

extension SipHash {
    /// The hash of a space, by its key as a store keeps it.
    init(storedKey key: UInt128) {
        self.init(
            key0: UInt64(truncatingIfNeeded: key >> 64).byteSwapped,
            key1: UInt64(truncatingIfNeeded: key).byteSwapped)
    }
}

/// The state's way from and to the database.
extension StoreState {
    /// In the table of replicas this row stands for the store itself: last arrival number, greatest
    /// timestamp, digest, and summary sequence.
    ///
    /// All that every transaction changes is in one page that way.
    static let storeNumber: Int64 = -1

    private static let storeUpdate =
        """
        UPDATE replica SET counter = ?, seen = ?, checksum = ?, moved = ? WHERE number = \(storeNumber)
        """

    /// Reads the whole state.
    static func load(from connection: Connection) throws(StoreFault) -> StoreState {
        var state = StoreState()
        let row = try connection.statement(
            """
            SELECT space, policy, checksum_key, state.replica, device_name, counter, seen, checksum, moved
            FROM state JOIN replica ON number = \(storeNumber)
            """)
        defer { row.reset() }
        guard try row.step(), let space = row.identifier(0), let key = row.identifier(2),
            let policy = DeletePolicy(rawValue: UInt8(truncatingIfNeeded: row.int(1))),
            let digest = row.identifier(7)
        else {
            throw .corrupt(path: connection.path, detail: "the state row is missing or damaged")
        }
        state.space = SpaceID(value: space)
        state.policy = policy
        state.hash = SipHash(storedKey: key)
        state.ownIndex = Int(row.int(3))
        state.deviceName = row.text(4)
        state.sequence = row.unsigned(5)
        state.savedSequence = state.sequence
        state.clock = HybridClock(greatestSeen: HybridTimestamp(rawValue: row.unsigned(6)))
        state.digest = digest
        try state.loadReplicas(from: connection, upTo: row.unsigned(8))
        state.isOwnerChanged = false
        return state
    }

    private mutating func loadReplicas(
        from connection: Connection, upTo summarySequence: UInt64
    ) throws(StoreFault) {
        replicas = ReplicaTable(hash: hash, summarySequence: summarySequence)
        let rows = try connection.statement(
            """
            SELECT number, id, counter, seen, checksum, epoch, epoch_counter, moved FROM replica
            WHERE number >= 0 ORDER BY number
            """)
        defer { rows.reset() }
        while try rows.step() {
            guard Int(rows.int(0)) == replicas.entries.count, let id = rows.identifier(1),
                let checksum = rows.identifier(4)
            else {
                throw .corrupt(path: connection.path, detail: "the table of replicas is damaged")
            }
            let incarnation =
                rows.isNull(5)
                ? nil
                : Incarnation(epoch: EpochID(value: rows.unsigned(5)), counter: rows.unsigned(6))
            replicas.load(
                ReplicaTable.Entry(
                    replica: ReplicaID(value: id), counter: rows.unsigned(2),
                    seen: rows.unsigned(3),
                    checksum: checksum, incarnation: incarnation, moved: rows.unsigned(7)))
        }
        guard ownIndex < replicas.entries.count else {
            throw .corrupt(path: connection.path, detail: "the own replica is missing")
        }
    }

    /// Writes what a transaction changed; one that changed nothing writes nothing.
    mutating func save(to connection: Connection) throws(StoreFault) {
        if isOwnerChanged {
            let row = try connection.statement("UPDATE state SET replica = ?, device_name = ?")
            row.bind(1, Int64(ownIndex))
            row.bind(2, deviceName)
            try row.run()
            isOwnerChanged = false
        }
        replicas.noteMoved()
        guard hasArrivals || isDigestChanged || replicas.hasChanges || replicas.hasMoved else {
            return
        }
        savedSequence = sequence
        isDigestChanged = false
        let row = try connection.statement(Self.storeUpdate)
        row.bind(1, sequence)
        row.bind(2, clock.greatestSeen.rawValue)
        row.bind(3, identifier: digest)
        row.bind(4, replicas.summarySequence)
        try row.run()
        try saveReplicas(to: connection)
    }

    /// Makes the row that stands for the store itself.
    static func makeStoreRow(on connection: Connection) throws(StoreFault) {
        try connection.run(
            """
            INSERT INTO replica VALUES
            (\(storeNumber), zeroblob(0), 0, 0, zeroblob(16), NULL, NULL, 0)
            """)
    }

    /// Writes the replicas that a transaction changed.
    mutating func saveReplicas(to connection: Connection) throws(StoreFault) {
        replicas.noteMoved()
        for index in replicas.changedIndexes {
            let entry = replicas[index]
            let row = try connection.statement(
                """
                UPDATE replica SET counter = ?, seen = ?, checksum = ?, epoch = ?, epoch_counter = ?,
                    moved = ?
                WHERE number = ?
                """)
            row.bind(1, entry.counter)
            row.bind(2, entry.seen)
            row.bind(3, identifier: entry.checksum)
            if let incarnation = entry.incarnation {
                row.bind(4, incarnation.epoch.value)
                row.bind(5, incarnation.counter)
            } else {
                row.bindNull(4)
                row.bindNull(5)
            }
            row.bind(6, entry.moved)
            row.bind(7, Int64(index))
            try row.run()
            if connection.changeCount == 0 { try insert(entry, at: index, into: connection) }
            if entry.isIncarnationNew, let incarnation = entry.incarnation {
                try note(incarnation, of: index, on: connection)
            }
        }
        replicas.markUnchanged()
    }

    private func insert(
        _ entry: ReplicaTable.Entry, at index: Int, into connection: Connection
    )
        throws(StoreFault)
    {
        let row = try connection.statement("INSERT INTO replica VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        row.bind(1, Int64(index))
        row.bind(2, identifier: entry.replica.value)
        row.bind(3, entry.counter)
        row.bind(4, entry.seen)
        row.bind(5, identifier: entry.checksum)
        if let incarnation = entry.incarnation {
            row.bind(6, incarnation.epoch.value)
            row.bind(7, incarnation.counter)
        } else {
            row.bindNull(6)
            row.bindNull(7)
        }
        row.bind(8, entry.moved)
        try row.run()
    }

    /// Remembers an incarnation of another replica, for the history that it may ask for.
    private func note(
        _ incarnation: Incarnation, of index: Int, on connection: Connection
    )
        throws(StoreFault)
    {
        let row = try connection.statement("INSERT OR IGNORE INTO peer_epoch VALUES (?, ?, ?)")
        row.bind(1, Int64(index))
        row.bind(2, incarnation.epoch.value)
        row.bind(3, incarnation.counter)
        try row.run()
        let old = try connection.statement(
            """
            DELETE FROM peer_epoch WHERE replica = ?1 AND epoch IN (
                SELECT epoch FROM peer_epoch WHERE replica = ?1
                ORDER BY first_counter DESC, epoch LIMIT -1 OFFSET \(WireLimits.epochCountMax))
            """)
        old.bind(1, Int64(index))
        try old.run()
    }
}

/// The counters, checksums and incarnations of every replica id, held in memory and written back with each
/// transaction.
///
/// Clocks in rows name replicas by their small numbers in this table.
struct ReplicaTable {
    /// The entry of one replica id.
    struct Entry {
        let replica: ReplicaID
        /// Writes 1 to `counter` are integrated or deferred.
        var counter: UInt64
        /// The highest counter in any clock here.
        var seen: UInt64
        /// The sum of H(record name, clock[replica]) over all records and deferred changes.
        var checksum: UInt128
        /// The share of `checksum` that is there for deferred changes alone.
        var deferred: UInt128 = 0
        /// The newest opening that was heard of.
        var incarnation: Incarnation?
        /// The summary sequence at the last change of what the state summary says of the replica.
        var moved: UInt64 = 0
        var isChanged = false
        /// Whether the opening was not heard of before this transaction.
        var isIncarnationNew = false
    }

    /// The most entries that are looked through for one; a space of a person has no more, and a table costs its making.
    private static let listedCountMax = 8
    /// The entries; the index is the replica's small number.
    private(set) var entries: [Entry] = []
    /// The same by replica, once there are more than are looked through.
    private var indexes: [ReplicaID: Int] = [:]
    private let hash: SipHash
    /// The entries that the present transaction changed, as they were, by their indexes.
    private var before = FormerEntries()
    /// How many entries there were when it began.
    private var countBefore = 0
    /// The state summary as it was last counted; nil if it was not counted yet.
    private var counted: (summary: StateSummary, sum: UInt128)?
    /// The entries that earlier transactions changed since then, as they were, by their indexes.
    private var stale = FormerEntries()
    /// The number of the last commit that changed the state summary: one more with each such commit.
    private(set) var summarySequence: UInt64
    /// The same when the transaction began.
    private var summarySequenceBefore: UInt64

    init(hash: SipHash, summarySequence: UInt64 = 0) {
        self.hash = hash
        self.summarySequence = summarySequence
        summarySequenceBefore = summarySequence
    }

    subscript(index: Int) -> Entry { entries[index] }

    /// The small number of a replica, if it has one.
    func index(of replica: ReplicaID) -> Int? {
        if entries.count <= Self.listedCountMax {
            for index in entries.indices where entries[index].replica == replica { return index }
            return nil
        }
        return indexes[replica]
    }

    /// The small number of a replica; a new one is given if need be.
    mutating func indexOrNew(of replica: ReplicaID) -> Int {
        if let index = index(of: replica) { return index }
        append(Entry(replica: replica, counter: 0, seen: 0, checksum: 0, isChanged: true))
        return entries.count - 1
    }

    mutating func load(_ entry: Entry) {
        append(entry)
        countBefore = entries.count
    }

    private mutating func append(_ entry: Entry) {
        entries.append(entry)
        if entries.count <= Self.listedCountMax { return }
        if indexes.isEmpty {
            for index in entries.indices { indexes[entries[index].replica] = index }
        } else {
            indexes[entry.replica] = entries.count - 1
        }
    }

    mutating func change(_ index: Int, _ body: (inout Entry) -> Void) {
        keep(index)
        body(&entries[index])
        entries[index].isChanged = true
    }

    // MARK: Transactions

    /// Keeps an entry as it is before its first change in a transaction.
    ///
    /// A copy of the whole table for each transaction would cost every edit the number of ids.
    private mutating func keep(_ index: Int) {
        if index < countBefore { before.keep(entries[index], at: index) }
    }

    /// Brings back the entries of the beginning of the transaction.
    mutating func rollBack() {
        for entry in entries[countBefore...] { indexes[entry.replica] = nil }
        entries.removeSubrange(countBefore...)
        // Entries up to there come without an index: a table of some of them would hide the others.
        if entries.count <= Self.listedCountMax { indexes = [:] }
        for (index, entry) in before.list { entries[index] = entry }
        before.removeAll()
        summarySequence = summarySequenceBefore
    }

    /// Takes the entries as they are for those of the next transaction's beginning.
    mutating func end() {
        summarySequenceBefore = summarySequence
        if before.isEmpty, countBefore == entries.count { return }
        if counted != nil {
            for (index, entry) in before.list { stale.keep(entry, at: index) }
            for index in countBefore..<entries.count { stale.keep(new(index), at: index) }
        }
        before.removeAll()
        countBefore = entries.count
    }

    /// Whether anything is to be written back.
    var hasChanges: Bool {
        before.list.contains { entries[$0.index].isChanged }
            || entries[countBefore...].contains(where: \.isChanged)
    }

    /// The indexes of the entries that are to be written back, in order.
    var changedIndexes: [Int] {
        let old = before.list.map(\.index).filter { entries[$0].isChanged }.sorted()
        return old + (countBefore..<entries.count).filter { entries[$0].isChanged }
    }

    /// Whether the state summary was found to have changed in this transaction.
    var hasMoved: Bool { summarySequence != summarySequenceBefore }

    /// Gives the entries of the state summary that this transaction changed the next number.
    ///
    /// - Complexity: O(m) for m entries changed.
    mutating func noteMoved() {
        for index in changedIndexes {
            let old = index < countBefore ? before[index]?.stated : nil
            if old == entries[index].stated { continue }
            summarySequence = summarySequenceBefore + 1
            entries[index].moved = summarySequence
        }
    }

    mutating func markUnchanged() {
        for index in changedIndexes {
            entries[index].isChanged = false
            entries[index].isIncarnationNew = false
        }
    }

    // MARK: Sums

    /// Moves the checksums from a record's old clock to its new one, which covers it or stands for it.
    mutating func account(_ name: RecordName, from old: VersionVector, to new: VersionVector) {
        for entry in new.entries {
            let before = old.counter(of: entry.replica)
            if before == entry.counter { continue }
            let index = indexOrNew(of: entry.replica)
            keep(index)
            var checksum = entries[index].checksum &+ hash.checksum(name, entry.counter)
            if before > 0 { checksum &-= hash.checksum(name, before) }
            entries[index].checksum = checksum
            entries[index].seen = max(entries[index].seen, entry.counter)
            // The one write of a twin is in this record: nobody else could vouch for it.
            if entry.replica.isRecoveredID {
                entries[index].counter = max(entries[index].counter, 1)
            }
            entries[index].isChanged = true
        }
        for entry in old.entries where new.counter(of: entry.replica) == 0 {
            let index = indexOrNew(of: entry.replica)
            keep(index)
            entries[index].checksum &-= hash.checksum(name, entry.counter)
            entries[index].isChanged = true
        }
    }

    /// Counts what the deferred changes of a record add to the checksums of its integrated clock.
    ///
    /// - Parameters:
    ///   - deferred: the joined clocks of these changes.
    ///   - isGone: whether they stop to add it.
    mutating func accountDeferred(
        _ name: RecordName, deferred: VersionVector, integrated: VersionVector, isGone: Bool = false
    ) {
        for entry in deferred.entries {
            let counter = integrated.counter(of: entry.replica)
            if entry.counter <= counter { continue }
            var more = hash.checksum(name, entry.counter)
            if counter > 0 { more &-= hash.checksum(name, counter) }
            let index = indexOrNew(of: entry.replica)
            keep(index)
            entries[index].deferred =
                isGone ? entries[index].deferred &- more : entries[index].deferred &+ more
        }
    }

    /// Forgets what was counted of deferred changes.
    mutating func forgetDeferred() {
        for index in entries.indices where entries[index].deferred != 0 {
            keep(index)
            entries[index].deferred = 0
        }
    }

    /// The hash of the checksums of integrated records alone.
    var integratedClocks: UInt128 {
        hash.clocks(entries.lazy.map { ($0.replica, $0.checksum &- $0.deferred) })
    }

    /// Takes note of an opening that was heard of.
    ///
    /// - Parameter counter: who tells of it knows of no newer one up to this write.
    mutating func note(_ start: Incarnation, of replica: ReplicaID, upTo counter: UInt64) {
        let index = indexOrNew(of: replica)
        // Writes are here that may belong to a newer one, of which nothing is known.
        let seen = entries[index].seen
        if entries[index].incarnation == nil, seen > counter, seen > start.counter { return }
        if let known = entries[index].incarnation {
            // Of two openings without a write between them the one to which writes belong stays.
            let isOlder = known.counter == start.counter && entries[index].seen > start.counter
            if known.epoch == start.epoch || known.counter > start.counter || isOlder { return }
        }
        change(index) {
            $0.incarnation = start
            $0.isIncarnationNew = true
        }
    }

    /// Writes come of which nobody says in which opening they were made: that known so far may be an
    /// older one.
    mutating func suspectIncarnation(of replica: ReplicaID, before counter: UInt64) {
        guard let index = index(of: replica), entries[index].seen < counter,
            entries[index].incarnation != nil
        else { return }
        change(index) { $0.incarnation = nil }
    }

    /// The counters up to which writes are integrated or deferred.
    var knowledge: VersionVector {
        VersionVector(
            unsorted: entries.map { VersionVector.Entry(replica: $0.replica, counter: $0.counter) })
    }

    // MARK: The state summary

    /// The state summary without its digest, and the sum of the hashes of its entries.
    func summary() -> (summary: StateSummary, sum: UInt128) {
        guard var result = counted else {
            let all = StateSummary(entries: entries.compactMap(\.stated), digest: 0)
            return (all, all.sum(hash))
        }
        var changed: [StateSummaryEntry] = []
        var gone: Set<ReplicaID> = []
        forEachStale { old, new in
            if let old { result.sum &-= hash.entry(old) }
            if let new {
                result.sum &+= hash.entry(new)
                changed.append(new)
            } else if let old {
                gone.insert(old.replica)
            }
        }
        if !gone.isEmpty {
            let left = result.summary.entries.filter { !gone.contains($0.replica) }
            result.summary = StateSummary(sorted: left)
        }
        result.summary.update(with: changed)
        return result
    }

    /// The sum of the hashes of the state summary's entries.
    var sum: UInt128 {
        guard var sum = counted?.sum else { return summary().sum }
        forEachStale { old, new in
            if let old { sum &-= hash.entry(old) }
            if let new { sum &+= hash.entry(new) }
        }
        return sum
    }

    /// Counts the state summary, so that from now on it costs what changes.
    mutating func countSummary() {
        guard before.isEmpty, countBefore == entries.count, counted == nil || !stale.isEmpty else {
            return
        }
        counted = summary()
        stale.removeAll()
    }

    /// The replicas whose entries in the state summary changed after a number; nil for more than are worth a list.
    ///
    /// Of so many ranges tell more cheaply which differ.
    func moved(after number: UInt64) -> [ReplicaID]? {
        if summarySequence <= number { return [] }
        var found: [ReplicaID] = []
        var count = 0
        for entry in entries where entry.stated != nil {
            count += 1
            if entry.moved > number { found.append(entry.replica) }
        }
        let countMax = max(Self.listedCountMin, count / 4)
        return found.count <= min(countMax, WireLimits.summaryListEntryCountMax) ? found : nil
    }

    /// So many ids are listed, however few there are.
    private static let listedCountMin = 4

    /// Visits what was counted of each entry that has changed since, and what it is now.
    private func forEachStale(_ body: (StateSummaryEntry?, StateSummaryEntry?) -> Void) {
        var were = stale
        for (index, entry) in before.list { were.keep(entry, at: index) }
        for index in countBefore..<entries.count { were.keep(new(index), at: index) }
        for (index, entry) in were.list {
            let (old, new) = (entry.stated, entries[index].stated)
            if old != new { body(old, new) }
        }
    }

    /// The entry at an index before anything of its replica was here.
    private func new(_ index: Int) -> Entry {
        Entry(replica: entries[index].replica, counter: 0, seen: 0, checksum: 0)
    }
}

extension ReplicaTable.Entry {
    /// The entry of a state summary; nil for a replica of which nothing is here.
    fileprivate var stated: StateSummaryEntry? {
        guard counter > 0 || seen > 0 else { return nil }
        return StateSummaryEntry(
            replica: replica, counter: counter, checksum: checksum, seen: max(seen, counter))
    }
}
