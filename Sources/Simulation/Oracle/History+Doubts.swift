import Core

/// Numbers that may name two writes, as a store was set back and could not tell.
extension History {
    /// Whether a dot may name two writes.
    func isDoubtful(_ dot: Dot) -> Bool {
        doubts[dot.replica].map { dot.counter > $0 } ?? false
    }

    /// Whether a replica id may have been given to writes that nobody told the oracle of: those that
    /// got new numbers after a fork.
    func isRenamed(_ replica: ReplicaID) -> Bool {
        renamed.contains(replica) || replica.isTwin
    }

    /// The writes to a record that nothing else can be mistaken for.
    func certainDots(of record: RecordID) -> [Dot] {
        let entries = records[record]?.entries.filter { !$0.isStruck && !$0.isWithdrawn } ?? []
        return entries.map(\.write.dot).filter { !isDoubtful($0) }
    }

    /// What of a clock can be relied on.
    func certain(_ clock: VersionVector) -> VersionVector {
        if doubts.isEmpty { return clock }
        var certain = clock
        for entry in clock.entries {
            guard let low = doubts[entry.replica], entry.counter > low else { continue }
            certain.set(low, of: entry.replica)
        }
        return certain
    }

    /// A store goes on after `counter` that has gone on before: both pasts have those numbers.
    ///
    /// - Parameters:
    ///   - isEven: whether all hold the same of a record, but for numbers that are in doubt.
    ///   - witnesses: who holds a write of a record at this moment, and is no part of the fork.
    func fork(
        _ replica: ReplicaID, above counter: UInt64,
        isEven: (RecordID) -> Bool, witnesses: (RecordID, Dot) -> [RecordHistory.Witness]
    ) {
        let isNew = doubts[replica] == nil
        doubt(replica, above: counter)
        for id in records.keys.sorted() {
            let isEven = isNew && forkCount == 1 && isEven(id)
            records[id]?.part(replica, above: counter, fork: forkCount, isEven: isEven) {
                isNew ? witnesses(id, $0) : []
            }
        }
    }

    /// From now on the numbers of a replica id above `counter` may name two writes.
    func doubt(_ replica: ReplicaID, above counter: UInt64) {
        doubts[replica] = min(doubts[replica] ?? .max, counter)
        forkCount += 1
        for record in records.values { record.doubt(replica, above: counter) }
    }

    /// A replica id was taken under which writes got new numbers.
    func rename(to replica: ReplicaID) {
        renamed.insert(replica)
    }

    /// The record with the smallest id of which something is missing that must be there.
    func firstLacking(_ held: Holdings, of due: Holdings) -> RecordID? {
        if doubts.isEmpty { return held.firstLacking(of: due) }
        return due.clocks.filter { id, clock in
            !held[id].covers(records[id]?.isDoubtful == true ? certain(clock) : clock)
        }.map(\.key).min()
    }
}
