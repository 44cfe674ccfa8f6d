import Core

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
        /// The sum of H(record id, clock[replica]) over all records and deferred changes.
        var checksum: UInt128
        /// The share of `checksum` that is there for deferred changes alone.
        var aside: UInt128 = 0
        /// The newest opening that was heard of.
        var incarnation: Incarnation?
        var isChanged = false
        /// Whether the opening was not heard of before this transaction.
        var isIncarnationNew = false
    }

    /// The entries; the place is the replica's small number.
    private(set) var entries: [Entry] = []
    private var places: [ReplicaID: Int] = [:]
    private let hash: SipHash

    init(hash: SipHash) {
        self.hash = hash
    }

    subscript(place: Int) -> Entry { entries[place] }

    /// The small number of a replica, if it has one.
    func place(of replica: ReplicaID) -> Int? {
        if entries.count <= 8 {
            for place in entries.indices where entries[place].replica == replica { return place }
            return nil
        }
        return places[replica]
    }

    /// The small number of a replica; a new one is given if need be.
    mutating func placeOrNew(of replica: ReplicaID) -> Int {
        if let place = place(of: replica) { return place }
        entries.append(Entry(replica: replica, counter: 0, seen: 0, checksum: 0, isChanged: true))
        places[replica] = entries.count - 1
        return entries.count - 1
    }

    mutating func load(_ entry: Entry) {
        places[entry.replica] = entries.count
        entries.append(entry)
    }

    mutating func change(_ place: Int, _ body: (inout Entry) -> Void) {
        body(&entries[place])
        entries[place].isChanged = true
    }

    /// Whether anything is to be written back.
    var hasChanges: Bool { entries.contains(where: \.isChanged) }

    mutating func markUnchanged() {
        for place in entries.indices where entries[place].isChanged {
            entries[place].isChanged = false
            entries[place].isIncarnationNew = false
        }
    }

    /// Moves the checksums from a record's old clock to its new one, which covers it or stands for it.
    mutating func account(_ id: RecordID, from old: VersionVector, to new: VersionVector) {
        for entry in new.entries {
            let before = old.counter(of: entry.replica)
            if before == entry.counter { continue }
            let place = placeOrNew(of: entry.replica)
            var checksum = entries[place].checksum &+ hash.checksum(id, entry.counter)
            if before > 0 { checksum &-= hash.checksum(id, before) }
            entries[place].checksum = checksum
            entries[place].seen = max(entries[place].seen, entry.counter)
            // The one write of a twin is in this record: nobody else could vouch for it.
            if entry.replica.isRecoveredID {
                entries[place].counter = max(entries[place].counter, 1)
            }
            entries[place].isChanged = true
        }
        for entry in old.entries where new.counter(of: entry.replica) == 0 {
            let place = placeOrNew(of: entry.replica)
            entries[place].checksum &-= hash.checksum(id, entry.counter)
            entries[place].isChanged = true
        }
    }

    /// Counts what the deferred changes of a record add to the checksums of its integrated clock.
    ///
    /// - Parameters:
    ///   - deferred: the joined clocks of these changes.
    ///   - isGone: whether they stop to add it.
    mutating func accountDeferred(
        _ id: RecordID, deferred: VersionVector, integrated: VersionVector, isGone: Bool = false
    ) {
        for entry in deferred.entries {
            let counter = integrated.counter(of: entry.replica)
            if entry.counter <= counter { continue }
            var more = hash.checksum(id, entry.counter)
            if counter > 0 { more &-= hash.checksum(id, counter) }
            let place = placeOrNew(of: entry.replica)
            entries[place].aside =
                isGone ? entries[place].aside &- more : entries[place].aside &+ more
        }
    }

    /// Forgets what was counted of deferred changes.
    mutating func forgetDeferred() {
        for place in entries.indices { entries[place].aside = 0 }
    }

    /// The hash of the checksums of integrated records alone.
    var integratedClocks: UInt128 {
        hash.clocks(entries.lazy.map { ($0.replica, $0.checksum &- $0.aside) })
    }

    /// Takes note of an opening that was heard of.
    ///
    /// - Parameter counter: who tells of it knows of no newer one up to this write.
    mutating func note(_ start: Incarnation, of replica: ReplicaID, upTo counter: UInt64) {
        let place = placeOrNew(of: replica)
        // Writes are here that may belong to a newer one, of which nothing is known.
        let seen = entries[place].seen
        if entries[place].incarnation == nil, seen > counter, seen > start.counter { return }
        if let known = entries[place].incarnation {
            // Of two openings without a write between them the one to which writes belong stays.
            let isOlder = known.counter == start.counter && entries[place].seen > start.counter
            if known.epoch == start.epoch || known.counter > start.counter || isOlder { return }
        }
        entries[place].incarnation = start
        entries[place].isIncarnationNew = true
        entries[place].isChanged = true
    }

    /// Writes come of which nobody says in which opening they were made: that known so far may be an
    /// older one.
    mutating func suspectIncarnation(of replica: ReplicaID, before counter: UInt64) {
        guard let place = place(of: replica), entries[place].seen < counter,
            entries[place].incarnation != nil
        else { return }
        entries[place].incarnation = nil
        entries[place].isChanged = true
    }

    /// The counters up to which writes are integrated or deferred.
    var knowledge: VersionVector {
        VersionVector(
            unsorted: entries.map { VersionVector.Entry(replica: $0.replica, counter: $0.counter) })
    }

    /// The entries of a statement.
    var stateSummaryEntries: [StateSummaryEntry] {
        entries.filter { $0.counter > 0 || $0.seen > 0 }.map {
            StateSummaryEntry(
                replica: $0.replica, counter: $0.counter, checksum: $0.checksum,
                seen: max($0.seen, $0.counter))
        }
    }
}
