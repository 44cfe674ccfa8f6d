import Core
import TestSupport
import Testing

@Suite("Long random programs")
struct RandomMergeTests {
    /// Seeds that once failed; the list only grows.
    private static let knownBad: [UInt64] = []

    @Test("four replicas with conflicts, sets and custom fields keep to their history")
    func programsKeepTheRules() {
        let count = TestSettings.number("TANDEM_SEEDS") ?? 60
        for seed in Self.knownBad + (1...UInt64(count)) {
            var program = RandomProgram(seed: seed)
            if let fault = program.fault(steps: 60) {
                Issue.record("\(fault)")
                return
            }
        }
    }

    @Test("merging any records with any others is a join, even where they are nonsense")
    func mergeIsJoinOnRandomRecords() {
        // Clocks and writes of one history: each state is a cut through the same writes.
        for seed in 1...12 as ClosedRange<UInt64> {
            var random = RandomRecords(seed: seed)
            let whole = random.record(writesMax: 8)
            let cuts = (0..<9).map { _ in cut(of: whole, &random) }
            let failures = JoinLaws.failures(
                cuts + [whole, RecordState()], join: RecordMerge.merged,
                includes: { $0.clock.covers($1.clock) })
            #expect(failures.isEmpty, "seed \(seed): \(failures)")
        }
    }

    /// Makes the state of a replica that has seen some of the writes and replaced some assignments.
    private func cut(of whole: RecordState, _ random: inout RandomRecords) -> RecordState {
        let clock = random.seen(in: whole.clock)
        var writes = whole.writes.filter { clock.covers($0.dot) }
        for index in writes.indices {
            writes[index].assignments.removeAll { _ in random.chance.chance(1, in: 4) }
        }
        writes.removeAll(where: \.assignments.isEmpty)
        return RecordState(clock: clock, writes: writes)
    }

    @Test("timestamps never change what is deleted", arguments: DeletePolicy.allCases)
    func timestampsDoNotDelete(policy: DeletePolicy) {
        var random = RandomRecords(seed: 11)
        for _ in 0..<400 {
            let record = random.record()
            var other = record
            for index in other.writes.indices {
                other.writes[index].timestamp = HybridTimestamp(rawValue: random.chance.next())
            }
            let rule = DeletionRule(policy)
            #expect(rule.verdict(on: other) == rule.verdict(on: record))
        }
    }

    @Test("recovered writes never revive a deleted record")
    func recoveredWritesDoNotRevive() {
        var random = RandomRecords(seed: 12)
        for _ in 0..<400 {
            var record = random.record()
            for index in record.writes.indices { record.writes[index].isRecovered = true }
            let hasDelete = record.survivors(of: .deleted).contains { !$0.value.isNull }
            for policy in DeletePolicy.allCases {
                let verdict = DeletionRule(policy).verdict(on: record)
                #expect(verdict.isDeleted == hasDelete)
                #expect(!verdict.isContested)
            }
        }
    }

    @Test("a repair leaves a record as it is that is ahead, also where one dot names two writes")
    func repairKeepsWhatIsAhead() {
        func write(_ counter: UInt64, _ field: UInt32) -> Write {
            Write(
                dot: Dot(replica: ReplicaID(value: 1), counter: counter), timestamp: .zero,
                assignments: [Assignment(.number(field), .text("x"))])
        }
        func record(_ writes: [Write]) -> RecordState {
            RecordState(clock: VersionVector(writes[writes.count - 1].dot), writes: writes)
        }
        let longer = record([write(1, 2), write(2, 3), write(3, 4)])
        let shorter = record([write(1, 2), write(2, 5)])
        #expect(RecordMerge.merged(shorter, longer) == record([write(1, 2), write(3, 4)]))
        for (left, right) in [(shorter, longer), (longer, shorter)] {
            let repaired = RecordMerge.repaired(left, right) { _, _ in
                preconditionFailure("no value loses its dot")
            }
            #expect(repaired == longer)
        }
        // A merge first, and then what either sends: both sides end with the same.
        let merged = RecordMerge.repaired(RecordMerge.merged(shorter, longer), longer) { _, _ in
            preconditionFailure("no value loses its dot")
        }
        #expect(merged == longer)
        // Concurrent records are merged.
        var other = longer
        other.clock.set(1, of: ReplicaID(value: 2))
        var further = shorter
        further.clock.set(1, of: ReplicaID(value: 3))
        let both = RecordMerge.repaired(other, further) { _, _ in
            preconditionFailure("no value loses its dot")
        }
        #expect(both == RecordMerge.merged(other, further))
    }

    @Test("records united after a dot named two writes are one, in any order")
    func unitedIsJoin() {
        for seed in 1...12 as ClosedRange<UInt64> {
            var random = RandomRecords(seed: seed)
            let clock = SmallWorld.vector([3, 2, 2])
            let records = (0..<8).map { _ in damaged(clock, &random) }
            let failures = JoinLaws.failures(
                records, join: Self.united, includes: includes)
            #expect(failures.isEmpty, "seed \(seed): \(failures)")
        }
    }

    /// A record with this clock, whose dots others may use otherwise.
    private func damaged(_ clock: VersionVector, _ random: inout RandomRecords) -> RecordState {
        var record = random.record()
        record.clock = clock
        var dots: Set<Dot> = []
        record.writes = record.writes.compactMap { write in
            let entry = random.chance.pick(clock.entries)
            let counter = UInt64(1 + random.chance.below(Int(entry.counter)))
            let dot = Dot(replica: entry.replica, counter: counter)
            guard dots.insert(dot).inserted else { return nil }
            let assignments = write.assignments.filter { $0.field != .deleted }
            if assignments.isEmpty { return nil }
            return Write(
                dot: dot, timestamp: write.timestamp, isRecovered: write.isRecovered,
                assignments: assignments)
        }
        record.writes.sort { $0.dot < $1.dot }
        return record
    }

    /// The union of two records; the time of what is kept under a twin is that of the write it was
    /// last seen in, and so without weight here.
    private static func united(_ left: RecordState, _ right: RecordState) -> RecordState {
        var record = RecordMerge.united(left, right) { dot, assignment in
            SipHash().recoveredID(of: RecordName(toDo: RecordID(value: 1)), dot, assignment)
        }
        for position in record.writes.indices
        where record.writes[position].dot.replica.isRecoveredID {
            record.writes[position].timestamp = HybridTimestamp(rawValue: 0)
        }
        return record
    }

    /// Whether every value of `right` is in `left`, under its dot or a twin's.
    private func includes(_ left: RecordState, _ right: RecordState) -> Bool {
        right.writes.allSatisfy { write in
            write.assignments.allSatisfy { assignment in
                left.writes.contains { kept in
                    kept.value(of: assignment.field) == assignment.value
                        && (kept.dot == write.dot || kept.dot.replica.isRecoveredID)
                }
            }
        }
    }
}
