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
