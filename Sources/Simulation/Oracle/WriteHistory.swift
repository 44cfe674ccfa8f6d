import Core

/// The history of one space: every acknowledged write with the clock that its writer had seen.
///
/// No rule of the engine reads it. From the writes that a clock covers it says what must be left of
/// them, in the plain words of the design.
package final class WriteHistory {
    /// The kind of a write.
    package enum Kind: Hashable, Sendable {
        /// Fields were saved.
        case edit
        /// The record was put in the trash.
        case delete
        /// The record's content was dropped for ever.
        case purge
        /// The record was brought back.
        case restore
        /// The record was made of what was written to a purged one while apart from the purge.
        case copy
        /// The edits of another device were taken back.
        case takeBack
        /// Fields were saved by somebody who had not seen all of the record.
        case late
        /// The record was put in the trash by somebody who had not seen all of it.
        case lateDelete

        /// The kind of one of the writes that an edit of this kind made.
        func one(_ write: Write) -> Kind {
            guard self == .lateDelete else { return self }
            return write.value(of: .deleted) == nil ? .late : .delete
        }
    }

    /// The input of a form that was saved.
    package struct Form: Hashable, Sendable {
        /// The fields that were changed in it; of several values for one the last counts.
        package var assignments: [Assignment]
        /// Whether the values were chosen to end a conflict.
        package var resolves: Bool

        /// The author, who had not seen all; nil if that is not known, or of no account.
        package var author: Author?

        /// A form.
        package init(
            _ assignments: [Assignment], resolves: Bool = false, author: Author? = nil
        ) {
            self.assignments = assignments
            self.resolves = resolves
            self.author = author
        }
    }

    /// The author of a late edit.
    package struct Author: Hashable, Sendable {
        /// The most that the author may have seen.
        package var seen: VersionVector
        /// The author's own writes.
        package var dots: Set<Dot>
        /// The writes that the author has seen for certain, as the store remembers.
        package var certain: VersionVector
        /// The values that the author typed earlier or was shown, where a store has lost what it knew of that: they may be
        /// written once more.
        package var earlier: [Assignment]

        /// An author.
        package init(
            seen: VersionVector, dots: Set<Dot>, certain: VersionVector = VersionVector(),
            earlier: [Assignment] = []
        ) {
            self.seen = seen
            self.dots = dots
            self.certain = certain
            self.earlier = earlier
        }

        /// Whether a write was seen.
        func hasSeen(_ dot: Dot) -> Bool { seen.covers(dot) || dots.contains(dot) }
    }

    /// A write that somebody was told had been made.
    struct Entry: Hashable {
        let dot: Dot
        let timestamp: HybridTimestamp
        let isRecovered: Bool
        let kind: Kind
        let assignments: [Assignment]
        /// The clock of the record before it.
        let past: VersionVector
        /// On which device it was made.
        let deviceIndex: Int

        /// Whether it deletes or purges the record.
        var isDelete: Bool {
            switch kind {
            case .delete, .purge: true
            case .edit, .late, .lateDelete, .restore, .copy: false
            case .takeBack: mark.map { !$0.isNull } ?? false
            }
        }

        /// Whether it brings the record back.
        var isRestore: Bool { kind == .restore || kind == .takeBack && mark?.isNull == true }

        /// Whether it clears the mark of a purge: a take-back can do so of a record that it leaves in the trash.
        var isEndOfPurge: Bool {
            kind == .restore
                || kind == .takeBack
                    && assignments.contains { $0.field == .purged && $0.value.isNull }
        }

        private var mark: Value? { assignments.first { $0.field == .deleted }?.value }
    }

    /// Where an entry is.
    private struct Location {
        let counter: UInt64
        let record: RecordHistory
        let entry: Int
    }

    /// The records that somebody wrote.
    private(set) var records: [RecordName: RecordHistory] = [:]
    /// The replica ids of whose writes nobody here can read the content.
    private(set) var strangers: [ReplicaID] = []
    /// For each replica id whose numbers may name two writes that up to which they do not.
    var suspicions: [ReplicaID: UInt64] = [:]
    /// Replica ids under which writes got new numbers after a fork.
    var renamed: Set<ReplicaID> = []
    /// Replica ids for whose writes nobody may be left to vouch, as a store was set back or lost.
    var unvouched: Set<ReplicaID> = []
    /// How many times a store was set back without noticing.
    var forkCount = 0
    /// For each replica id its writes, in order.
    private var locations: [ReplicaID: [Location]] = [:]

    /// The record's history; a new one if there is none.
    func record(_ id: RecordName) -> RecordHistory {
        if let known = records[id] { return known }
        let new = RecordHistory(id)
        records[id] = new
        return new
    }

    /// Whether a replica id has written anything.
    func knows(_ replica: ReplicaID) -> Bool { locations[replica] != nil }

    /// How many replica ids have written anything.
    var replicaCount: Int { locations.count }

    /// Takes note of a write to a record of which some dots are suspicious, or whose own is.
    func addSuspected(
        _ entry: Entry, to id: RecordName, holder: RecordHistory.Holder
    ) throws(Violation) {
        let record = record(id)
        record.isSuspicious = true
        let isSuspicious = isSuspicious(entry.dot)
        if !isSuspicious, let old = location(of: entry.dot) {
            if old.record === record, old.record.entries[old.entry].write == entry { return }
            throw Violation(.unsound, "the dot \(entry.dot) names two writes")
        }
        let number = record.addUnlinked(entry, fork: forkCount, holder: holder)
        if isSuspicious { return }
        note(Location(counter: entry.dot.counter, record: record, entry: number), of: entry.dot)
    }

    private func note(_ new: Location, of dot: Dot) {
        let index = Self.countBelow(dot.counter, in: locations[dot.replica] ?? [])
        locations[dot.replica, default: []].insert(new, at: index)
    }

    /// Takes note of a write.
    ///
    /// - Parameter seen: what was left of the record before it, if that is at hand.
    /// - Throws: a violation if its dot names another one already.
    func add(
        _ entry: Entry, to id: RecordName, seen: RecordView? = nil
    ) throws(Violation) {
        let record = record(id)
        if let old = location(of: entry.dot) {
            if old.record === record, old.record.entries[old.entry].write == entry { return }
            guard old.record.entries[old.entry].isWithdrawn else {
                throw Violation(.unsound, "the dot \(entry.dot) names two writes")
            }
            old.record.strike(old.entry)
            locations[entry.dot.replica]?.removeAll { $0.counter == entry.dot.counter }
        }
        let new = Location(
            counter: entry.dot.counter, record: record, entry: record.add(entry, seen: seen))
        note(new, of: entry.dot)
    }

    /// Takes note of a write whose content nobody here can read.
    func addUnreadable(
        _ dot: Dot, to id: RecordName, past: VersionVector, deviceIndex: Int
    ) throws(Violation) {
        let entry = Entry(
            dot: dot, timestamp: HybridTimestamp(rawValue: 0), isRecovered: false, kind: .edit,
            assignments: [], past: past, deviceIndex: deviceIndex)
        if record(id).isSuspicious {
            try addSuspected(
                entry, to: id, holder: RecordHistory.Holder(deviceIndex: -1, lossCount: 0))
        } else {
            try add(entry, to: id)
        }
        if !strangers.contains(dot.replica) { strangers.append(dot.replica) }
    }

    private func location(of dot: Dot) -> Location? {
        guard let list = locations[dot.replica] else { return nil }
        let index = Self.countBelow(dot.counter, in: list)
        return index < list.count && list[index].counter == dot.counter ? list[index] : nil
    }

    /// Gives each write of a replica after a counter and up to another one to `body`, unless it was
    /// withdrawn.
    func forEachWrite(
        of replica: ReplicaID, after low: UInt64, upTo high: UInt64,
        _ body: (RecordHistory, Dot) throws(Violation) -> Void
    ) throws(Violation) {
        guard let list = locations[replica] else { return }
        for location in list[Self.countBelow(low + 1, in: list)...] {
            if location.counter > high { return }
            if location.record.entries[location.entry].isWithdrawn { continue }
            try body(location.record, Dot(replica: replica, counter: location.counter))
        }
    }

    /// Whether a write is known.
    func knows(_ dot: Dot) -> Bool {
        location(of: dot) != nil
    }

    /// Whether a write to a record is known: its dot may have named another one, which nobody has any more.
    func knows(_ write: Write, to id: RecordName) -> Bool {
        guard let old = location(of: write.dot) else { return false }
        let entry = old.record.entries[old.entry]
        if !entry.isWithdrawn { return true }
        return old.record.name == id && entry.write.timestamp == write.timestamp
    }

    /// How many writes come before a counter.
    private static func countBelow(_ counter: UInt64, in list: [Location]) -> Int {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].counter < counter { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// Dots that may name two writes, as a store was set back and could not tell.
extension WriteHistory {
    /// Whether a dot may name two writes.
    func isSuspicious(_ dot: Dot) -> Bool {
        suspicions[dot.replica].map { dot.counter > $0 } ?? false
    }

    /// Whether a replica id may have been given to writes that nobody told the oracle of: those that
    /// got new numbers after a fork.
    func isRenamed(_ replica: ReplicaID) -> Bool {
        renamed.contains(replica) || replica.isRecoveredID
    }

    /// The writes to a record that nothing else can be mistaken for.
    func certainDots(of record: RecordName) -> [Dot] {
        let entries = records[record]?.entries.filter { !$0.isStruck && !$0.isWithdrawn } ?? []
        return entries.map(\.write.dot).filter { !isSuspicious($0) }
    }

    /// The reliable part of a clock.
    func certain(_ clock: VersionVector) -> VersionVector {
        if suspicions.isEmpty { return clock }
        var certain = clock
        for entry in clock.entries {
            guard let low = suspicions[entry.replica], entry.counter > low else { continue }
            certain.set(low, of: entry.replica)
        }
        return certain
    }

    /// A store goes on after `counter` that has gone on before: both pasts have those numbers.
    ///
    /// - Parameters:
    ///   - isEven: whether all hold the same of a record, but for suspicious dots.
    ///   - holders: who holds a write of a record at this moment, and is no part of the fork.
    func fork(
        _ replica: ReplicaID, above counter: UInt64,
        isEven: (RecordName) -> Bool, holders: (RecordName, Dot) -> [RecordHistory.Holder]
    ) {
        let isNew = suspicions[replica] == nil
        suspect(replica, above: counter)
        for id in records.keys.sorted() {
            let isEven = isNew && forkCount == 1 && isEven(id)
            records[id]?.part(replica, above: counter, fork: forkCount, isEven: isEven) {
                isNew ? holders(id, $0) : []
            }
        }
    }

    /// From now on the numbers of a replica id above `counter` may name two writes.
    func suspect(_ replica: ReplicaID, above counter: UInt64) {
        suspicions[replica] = min(suspicions[replica] ?? .max, counter)
        forkCount += 1
        for record in records.values { record.suspect(replica, above: counter) }
    }

    /// A replica id was taken under which writes got new numbers.
    func rename(to replica: ReplicaID) {
        renamed.insert(replica)
    }

    /// The record with the first name of which something is missing that must be there.
    func firstLacking(_ held: Holdings, of due: Holdings) -> RecordName? {
        if suspicions.isEmpty { return held.firstLacking(of: due) }
        return due.clocks.filter { id, clock in
            !held[id].covers(records[id]?.isSuspicious == true ? certain(clock) : clock)
        }.map(\.key).min()
    }
}

/// For each record the clock of all that a device holds of it, integrated or deferred.
package struct Holdings: Hashable, Sendable {
    /// The clocks; whoever goes through them sorts them first if the order matters.
    package private(set) var clocks: [RecordName: VersionVector] = [:]

    /// Nothing.
    package init() {}

    /// The clock held of a record; the empty clock if it is not known.
    package subscript(record: RecordName) -> VersionVector {
        clocks[record] ?? VersionVector()
    }

    /// Takes note of what is held of a record besides.
    package mutating func join(_ clock: VersionVector, of record: RecordName) {
        clocks[record, default: VersionVector()].join(clock)
    }

    /// The record with the first name of which `other` holds something that is missing here.
    package func firstLacking(of other: Holdings) -> RecordName? {
        other.clocks.filter { !self[$0.key].covers($0.value) }.map(\.key).min()
    }
}
