// Alone, as it is one of the few files that a change of wording may touch.
import Storage
import Testing

/// The words of a store's faults; everywhere else tests compare codes.
@Suite("Words of a store's faults")
struct StoreFaultWordsTests {
    @Test("a fault that the user can end names the next step")
    func nextSteps() {
        let steps: [(StoreFault, String)] = [
            (.newerStore(found: 99, supported: 5), "upgrade tandem"),
            (.noStore(folder: "/a"), "make one"),
            (.corrupt(path: "/a", detail: "x"), "check and repair the store"),
            (.diskFull(path: "/a"), "free some space"),
            (.readOnly(path: "/a"), "check its permissions"),
        ]
        for (fault, step) in steps { #expect("\(fault)".contains(step)) }
    }
}
