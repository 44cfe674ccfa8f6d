import Core
import TestSupport
import Testing

@Suite("New dots for a rolled-back replica")
struct ForkRewriteTests {
    private let old = SmallWorld.replica(0)
    private let new = SmallWorld.replica(7)

    /// Records of one store, whose replica 0 has used the counters up to 40.
    private func store(_ seed: UInt64) -> [RecordState] {
        var random = RandomRecords(seed: seed)
        var used: Set<UInt64> = []
        return (0..<12).map { _ in
            var record = random.record()
            let counter = min(record.clock.counter(of: old), 40)
            record.writes.removeAll { $0.dot.replica == old && $0.dot.counter > counter }
            // A dot names one write of one record.
            record.writes.removeAll {
                $0.dot.replica == old && !used.insert($0.dot.counter).inserted
            }
            record.clock.set(counter, of: old)
            for index in record.writes.indices {
                for position in record.writes[index].assignments.indices {
                    guard case .clock = record.writes[index].assignments[position].value else {
                        continue
                    }
                    record.writes[index].assignments[position].value = .clock(
                        random.seen(in: record.clock))
                }
            }
            return record
        }
    }

    private func counters(_ records: [RecordState], above fork: UInt64) -> [UInt64] {
        let dots = records.flatMap { $0.writes.map(\.dot) }
        return dots.filter { $0.replica == old && $0.counter > fork }.map(\.counter).sorted()
    }

    @Test(
        "dots of others and dots up to the fork stay, the rest are the new replica's",
        arguments: 1...20)
    func dotsAreMoved(seed: UInt64) {
        let records = store(seed)
        let fork = seed * 2
        let counters = counters(records, above: fork)
        let forkRewrite = ForkRewrite(old: old, fork: fork, new: new, counters: counters)
        var names: Set<Dot> = []
        for record in records {
            let moved = forkRewrite.moved(record)
            let kept = record.writes.filter { $0.dot.replica != old || $0.dot.counter <= fork }
            #expect(moved.isWellFormed)
            #expect(moved.writes.count == record.writes.count)
            #expect(moved.writes.filter { $0.dot.replica != new }.map(\.dot) == kept.map(\.dot))
            #expect(moved.clock.counter(of: old) <= fork)
            for write in moved.writes where write.dot.replica == new {
                #expect(write.isRecovered)
                #expect(names.insert(write.dot).inserted, "a dot names two writes")
                #expect(write.dot.counter <= UInt64(counters.count))
            }
        }
        #expect(names.count == counters.count)
    }

    @Test(
        "clocks inside deletes stay within the record's clock, and see what they saw",
        arguments: 1...20)
    func clocksAreMoved(seed: UInt64) {
        let records = store(seed)
        let fork = seed
        let forkRewrite = ForkRewrite(
            old: old, fork: fork, new: new, counters: counters(records, above: fork))
        for record in records {
            let moved = forkRewrite.moved(record)
            for (before, after) in zip(record.writes.sorted(by: isBefore(fork)), moved.writes) {
                let pairs = zip(before.assignments, after.assignments)
                for (assignment, copy) in pairs {
                    guard case .clock(let seen) = assignment.value,
                        case .clock(let then) = copy.value
                    else {
                        #expect(assignment == copy)
                        continue
                    }
                    #expect(moved.clock.covers(then))
                    for (write, other) in zip(
                        record.writes.sorted(by: isBefore(fork)), moved.writes)
                    {
                        #expect(seen.covers(write.dot) == then.covers(other.dot))
                    }
                }
            }
        }
    }

    /// The order of the writes after they have moved: those above the fork stand last.
    private func isBefore(_ fork: UInt64) -> (Write, Write) -> Bool {
        { left, right in
            let moves = [left, right].map { $0.dot.replica == self.old && $0.dot.counter > fork }
            return moves[0] == moves[1] ? left.dot < right.dot : moves[1]
        }
    }

    @Test("a record that the old replica did not touch after the fork stays as it is")
    func otherRecordsStay() {
        let forkRewrite = ForkRewrite(old: old, fork: 300, new: new, counters: [])
        for record in store(5) { #expect(forkRewrite.moved(record) == record) }
    }

    @Test("deleted stays deleted when its delete is moved, and moved edits revive nothing")
    func deletionIsMoved() throws {
        for policy in DeletePolicy.allCases {
            var device = Device(0, policy)
            try device.save(.number(2), .text("milk"))
            try device.save(.number(3), .day(1))
            try device.delete()
            let forkRewrite = ForkRewrite(old: device.replica, fork: 1, new: new, counters: [2, 3])
            let moved = forkRewrite.moved(device.record)
            let verdict = DeletionRule(policy).verdict(on: moved)
            #expect(verdict.isDeleted)
            #expect(!verdict.isContested)
            #expect(moved.clock.counter(of: device.replica) == 1)
            #expect(moved.clock.counter(of: new) == 2)
        }
    }

    @Test("a delete that one side holds with moved clocks is joined, and nothing revives")
    func movedDeletesMeet() throws {
        var device = Device(0, .editsWin)
        try device.save(.number(2), .text("milk"))
        var other = Device(1, .editsWin)
        other.record = device.record
        try other.delete()
        device.record = RecordMerge.merged(device.record, other.record)
        let forkRewrite = ForkRewrite(old: device.replica, fork: 0, new: new, counters: [1])
        let moved = forkRewrite.moved(device.record)
        let merged = RecordMerge.merged(moved, other.record)
        #expect(merged == RecordMerge.merged(other.record, moved))
        #expect(merged == RecordMerge.merged(merged, moved))
        let verdict = DeletionRule(.editsWin).verdict(on: merged)
        #expect(verdict.isDeleted)
        #expect(!verdict.isContested)
    }

    @Test("a body that has all that makes one grow is short enough to be sent after eight rewrites")
    func growth() {
        // All writes are of the replica that is rewritten, and every delete has seen it. With each new id the entries of the
        // clock behind it get another number, which is longer from 24 and from 256 on.
        let count = RecordLimits.assignmentCountMax
        let others = (1...22).map {
            VersionVector.Entry(replica: ReplicaID(value: UInt128($0)), counter: 9)
        }
        var own = ReplicaID(value: 1 << 40)
        let seen = VersionVector(unsorted: others + [.init(replica: own, counter: 5)])
        var record = RecordState(
            clock: VersionVector(
                unsorted: others + [.init(replica: own, counter: UInt64(2 * count))]),
            writes: (0..<count).map { number in
                var assignments = [Assignment(.text("f\(number)"), .bool(true))]
                if number < RecordLimits.deletionCountMax {
                    assignments =
                        [
                            Assignment(.deleted, .clock(seen)), Assignment(.purged, .clock(seen)),
                        ] + assignments
                }
                return Write(
                    dot: Dot(replica: own, counter: UInt64(number + 1)), timestamp: .zero,
                    assignments: assignments)
            })
        #expect(record.isWellFormed)
        let before = BodyCodec.encode(record, in: .number(1)).count
        for round in 1...8 {
            let new = ReplicaID(value: UInt128(100 + round))
            // The least fork point moves all writes; a later one leaves an entry of the old id in each clock.
            let counters = record.writes.filter { $0.dot.replica == own && $0.dot.counter > 1 }
                .map(\.dot.counter).sorted()
            record = ForkRewrite(old: own, fork: 1, new: new, counters: counters).moved(record)
            own = new
        }
        #expect(record.isWellFormed)
        let growth = BodyCodec.encode(record, in: .number(1)).count - before
        let room = RecordLimits.bodyByteCountMax - RecordLimits.mergedBodyByteCountMax
        #expect((50_000...room).contains(growth), "\(growth)")
    }
}
