import Core
import TestSupport
import Testing

@Suite("All small programs")
struct ExhaustiveMergeTests {
    /// Steps of a program; `TANDEM_DEPTH` asks for longer ones.
    static let depth = TestSettings.number("TANDEM_DEPTH") ?? 5

    // Goal: after every step the record is what its history says, byte for byte, `deleted` and
    // `contested` follow, nothing is a husk, and merging all in any order gives one record.
    // Method: all programs of `depth` steps over {edit title, edit date, add tag, remove tag, delete,
    // restore, purge, take another's} on three replicas, against `HistoryModel`.
    @Test(
        "after every step of every program the record is what its history says",
        arguments: DeletePolicy.allCases, [true, false])
    func programsKeepTheRules(policy: DeletePolicy, isSynced: Bool) {
        let search = ProgramSearch(policy: policy)
        let outcome = search.run(depth: Self.depth, isSynced: isSynced)
        #expect(outcome.faults.isEmpty, "\(outcome.faults)")
        #expect(outcome.states > 300)
        print(
            "note: \(policy.name), \(isSynced ? "synced" : "fresh") start, depth \(Self.depth): "
                + "\(outcome.states) worlds, \(outcome.replicaStates) records")
    }
}
