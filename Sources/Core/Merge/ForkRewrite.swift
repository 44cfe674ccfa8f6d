/// Gives new dots to what a rolled-back replica wrote under its old id after the last common point.
///
/// Source: design of late detection, Protocol/5-Session.md. Damage control: after it no dot that this
/// replica holds names two writes.
package struct ForkRewrite: Sendable {
    /// The id that is given up.
    package let old: ReplicaID

    /// The last counter of the old id that both histories share.
    package let fork: UInt64

    /// The id taken instead.
    package let new: ReplicaID

    /// The counters above the fork that get new dots, sorted; the n-th becomes counter n of the new id.
    package let counters: [UInt64]

    /// Moves the `counters` of `old` above `fork` to `new`.
    package init(old: ReplicaID, fork: UInt64, new: ReplicaID, counters: [UInt64]) {
        self.old = old
        self.fork = fork
        self.new = new
        self.counters = counters
    }

    /// The record with its dots, its clock and the clocks inside its deletes moved.
    package func moved(_ record: RecordState) -> RecordState {
        guard record.clock.counter(of: old) > fork else { return record }
        var own: UInt64 = 0
        var writes = record.writes.map { write in
            var assignments = write.assignments
            for index in assignments.indices {
                if case .clock(let clock) = assignments[index].value {
                    assignments[index].value = .clock(moved(clock))
                }
            }
            guard let counter = newCounter(of: write.dot) else {
                return Write(
                    dot: write.dot, timestamp: write.timestamp, isRecovered: write.isRecovered,
                    assignments: assignments)
            }
            own = max(own, counter)
            return Write(
                dot: Dot(replica: new, counter: counter), timestamp: write.timestamp,
                isRecovered: true, assignments: assignments)
        }
        writes.sort { $0.dot < $1.dot }
        var clock = moved(record.clock)
        clock.set(max(own, clock.counter(of: new)), of: new)
        return RecordState(clock: clock, writes: writes)
    }

    private func newCounter(of dot: Dot) -> UInt64? {
        guard dot.replica == old, dot.counter > fork else { return nil }
        let position = countUp(to: dot.counter)
        return position > 0 && counters[position - 1] == dot.counter ? UInt64(position) : nil
    }

    /// How many of the counters are at most `counter`; a store may have many, so it halves.
    private func countUp(to counter: UInt64) -> Int {
        var (low, high) = (0, counters.count)
        while low < high {
            let middle = (low + high) / 2
            if counters[middle] <= counter { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The clock with the old entry lowered to the fork, and as much of the new one as it had seen.
    package func moved(_ clock: VersionVector) -> VersionVector {
        let seen = clock.counter(of: old)
        guard seen > fork else { return clock }
        var result = clock
        result.set(fork, of: old)
        result.include(UInt64(countUp(to: seen)), of: new)
        return result
    }
}
