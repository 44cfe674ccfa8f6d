import Core
import TestSupport
import Testing

@Suite("Broken rules")
struct MutationTests {
    // Goal: the search that finds nothing in the true rules would find something.
    // Method: each known way to get a rule wrong is planted, and programs of up to four steps must show
    // the fault that it leads to.
    @Test("a broken rule is caught by a program of four steps", arguments: Mutation.all)
    func mutationIsCaught(mutation: Mutation) {
        let search = ProgramSearch(policy: mutation.policy, rules: mutation.rules())
        let outcome = search.run(depth: 4, isSynced: true)
        let found = outcome.faults[mutation.fault]
        #expect(found != nil, "found only \(outcome.faults)")
        if let found { print("note: \(mutation.name) → \(found.count) × \(found.program)") }
    }
}

/// A broken rule, and the search's expected finding.
struct Mutation: CustomTestStringConvertible, Sendable {
    let name: String
    let policy: DeletePolicy
    /// The kind of fault that must be among those found.
    let fault: String
    let rules: @Sendable () -> MergeRules

    var testDescription: String { name }

    static let all: [Mutation] = [
        Mutation(name: "deleted by the latest timestamp", policy: .deletesWin, fault: "resurrected")
        {
            var rules = MergeRules()
            rules.verdict = { record, policy in latest(record, policy) }
            return rules
        },
        Mutation(
            name: "edits win unless one delete saw all", policy: .editsWin, fault: "resurrected"
        ) {
            var rules = MergeRules()
            rules.verdict = { record, policy in oneSawAll(record, policy) }
            return rules
        },
        Mutation(
            name: "edits win unless a delete saw the record's clock", policy: .editsWin,
            fault: "resurrected"
        ) {
            var rules = MergeRules()
            rules.verdict = { record, policy in sawClock(record, policy) }
            return rules
        },
        Mutation(name: "a restore writes the flag alone", policy: .editsWin, fault: "husk") {
            var rules = MergeRules()
            rules.restoresWhole = false
            return rules
        },
        Mutation(name: "a purge leaves no mark", policy: .deletesWin, fault: "resurrected") {
            var rules = MergeRules()
            rules.purgeLeavesMark = false
            let real = rules.verdict
            rules.verdict = { record, policy in
                record.writes.isEmpty && !record.isEmpty
                    ? MergeRules.Verdict(isDeleted: true, isPurged: true, isContested: false)
                    : real(record, policy)
            }
            return rules
        },
        Mutation(
            name: "what a restore wrote is told as edited after the purge", policy: .deletesWin,
            fault: "verdict"
        ) {
            var rules = MergeRules()
            rules.verdict = { record, policy in
                var verdict = real(record, policy)
                verdict.isEditedAfterPurge =
                    verdict.isPurged && record.fields.contains { $0 > .purged }
                return verdict
            }
            return rules
        },
        Mutation(name: "no edit after a purge is told", policy: .editsWin, fault: "verdict") {
            var rules = MergeRules()
            rules.verdict = { record, policy in
                var verdict = real(record, policy)
                verdict.isEditedAfterPurge = false
                return verdict
            }
            return rules
        },
        Mutation(name: "one value a field, ties by side", policy: .deletesWin, fault: "law") {
            var rules = MergeRules()
            rules.merged = { left, right in oneValue(RecordMerge.merged(left, right), left) }
            return rules
        },
        Mutation(name: "one value a field, the latest", policy: .deletesWin, fault: "lost") {
            var rules = MergeRules()
            rules.merged = { left, right in
                oneValue(RecordMerge.merged(left, right), RecordState())
            }
            return rules
        },
        Mutation(name: "the later record whole", policy: .deletesWin, fault: "lost") {
            var rules = MergeRules()
            rules.merged = { left, right in whole(left, right) }
            return rules
        },
        Mutation(name: "nothing is ever dropped", policy: .deletesWin, fault: "stale") {
            var rules = MergeRules()
            rules.merged = { left, right in
                let clock = left.clock.joined(with: right.clock)
                return RecordMerge.united(
                    RecordState(clock: clock, writes: left.writes),
                    RecordState(clock: clock, writes: right.writes)
                ) { SipHash().recoveredID(of: RecordName(toDo: RecordID(value: 1)), $0, $1) }
            }
            return rules
        },
        Mutation(name: "the clock is the right side's", policy: .deletesWin, fault: "law") {
            var rules = MergeRules()
            rules.merged = { left, right in
                RecordState(clock: right.clock, writes: RecordMerge.merged(left, right).writes)
            }
            return rules
        },
    ]

    private static func real(_ record: RecordState, _ policy: DeletePolicy) -> MergeRules.Verdict {
        MergeRules().verdict(record, policy)
    }

    private static func replacing(
        _ isDeleted: Bool, in verdict: MergeRules.Verdict
    )
        -> MergeRules.Verdict
    {
        MergeRules.Verdict(
            isDeleted: isDeleted, isPurged: verdict.isPurged, isContested: verdict.isContested,
            isEditedAfterPurge: verdict.isEditedAfterPurge)
    }

    private static func latest(_ record: RecordState, _ policy: DeletePolicy) -> MergeRules.Verdict
    {
        let shown = record.visible(.deleted) ?? .null
        return replacing(!shown.isNull, in: real(record, policy))
    }

    /// The clocks in the deletes that survive, each with its dot.
    private static func deletes(_ record: RecordState) -> [VersionVector] {
        record.survivors(of: .deleted).compactMap {
            if case .clock(let clock) = $0.value { clock } else { nil }
        }
    }

    private static func oneSawAll(
        _ record: RecordState, _ policy: DeletePolicy
    ) -> MergeRules.Verdict {
        let verdict = real(record, policy)
        let others = record.writes.filter { write in
            write.assignments.contains { assignment in
                assignment.field == .deleted
                    ? assignment.value.isNull : assignment.field != .purged && !verdict.isPurged
            }
        }
        let isDeleted = deletes(record).contains { clock in
            others.allSatisfy { clock.covers($0.dot) }
        }
        return replacing(isDeleted, in: verdict)
    }

    private static func sawClock(
        _ record: RecordState, _ policy: DeletePolicy
    ) -> MergeRules.Verdict {
        let isDeleted = deletes(record).contains { $0.covers(record.clock) }
        return replacing(isDeleted, in: real(record, policy))
    }

    /// Keeps of each field the latest value; of two at the same time the one in `mine`.
    private static func oneValue(_ record: RecordState, _ mine: RecordState) -> RecordState {
        var result = record
        for field in record.fields {
            let ranked = record.survivors(of: field).sorted { left, right in
                if left.write.timestamp != right.write.timestamp {
                    return left.write.timestamp < right.write.timestamp
                }
                let isMine = mine.writes.contains { $0.dot == right.write.dot }
                return mine.isEmpty ? left.write.dot < right.write.dot : isMine
            }
            for loser in ranked.dropLast() {
                for index in result.writes.indices where result.writes[index].dot == loser.write.dot
                {
                    result.writes[index].assignments.removeAll { $0.field == field }
                }
            }
        }
        result.writes.removeAll(where: \.assignments.isEmpty)
        return result
    }

    private static func whole(_ left: RecordState, _ right: RecordState) -> RecordState {
        let last = [left, right].max { a, b in
            let times = (a.writes.map(\.timestamp).max(), b.writes.map(\.timestamp).max())
            guard let one = times.0, let other = times.1, one != other else {
                return a.clock.entries.lexicographicallyPrecedes(b.clock.entries) {
                    ($0.replica, $0.counter) < ($1.replica, $1.counter)
                }
            }
            return one < other
        }
        return RecordState(
            clock: left.clock.joined(with: right.clock), writes: (last ?? left).writes)
    }
}
