import Core
import Relay
import Testing

/// A damage to the rows of a space, which the examination of each store finds: a part of the conformance suite.
///
/// A store that keeps its rows in tables runs them in its own file, with all cases as arguments.
package enum RelayStoreDamage: CaseIterable, Sendable {
    /// A version is gone.
    case lostVersion
    /// A count that is kept of a space is another.
    case wrongCount
    /// A summary row is gone.
    case lostRow
    /// A space is said to have given fewer numbers than it has.
    case setBack
    /// A version has the clock of another one of the same record.
    case coveredVersion

    /// The findings, by their codes.
    private var codes: [String] {
        switch self {
        case .lostVersion, .wrongCount: ["sums"]
        case .lostRow: ["sums", "row-sum"]
        case .setBack: ["number-beyond-last"]
        case .coveredVersion: ["covered-version"]
        }
    }

    /// The statement that does the damage.
    ///
    /// - Parameter spaces: the table that has a row for each space.
    private func statement(spaces: String) -> String {
        switch self {
        case .lostVersion: "DELETE FROM version WHERE sequence = 2"
        case .wrongCount: "UPDATE \(spaces) SET records = records + 1"
        case .lostRow: "DELETE FROM summary_row"
        case .setBack: "UPDATE \(spaces) SET sequence = 1"
        case .coveredVersion:
            """
            UPDATE version SET clock = (SELECT clock FROM version WHERE sequence = 2)
            WHERE sequence = 1
            """
        }
    }

    /// Checks that a store finds the damage, by its code and numbers.
    ///
    /// - Parameters:
    ///   - open: opens the store; later calls open what the store before has left.
    ///   - spaces: the table that has a row for each space.
    ///   - run: runs a statement on the tables of the store, which is closed.
    package func check(
        _ open: @escaping (RelayLimits) throws -> any SynchronousRelayStore, spaces: String,
        run: (String) throws -> Void
    ) throws {
        let bench = try RelayStoreBench(open)
        let key = try bench.enter().key
        let changes = [
            RelaySamples.change(1, 1, 1), RelaySamples.change(1, 2, 1),
            RelaySamples.change(2, 1, 2),
        ]
        try bench.commit(key, changes, row: [7])
        #expect(try bench.store.examine(RelayStoreBench.space) == [])
        let head = try bench.head()
        bench.store.close()
        try run(statement(spaces: spaces))
        let store = try open(RelayLimits())
        defer { store.close() }
        // Some stores keep a hash beside each version as well.
        let found = try store.examine(RelayStoreBench.space).filter { $0.code != "altered-version" }
        #expect(found.map(\.code) == codes)
        let kept = RelayFinding.Sums(
            byteCount: head.byteCount, versionCount: head.versionCount,
            recordCount: head.recordCount)
        switch (self, found.first) {
        case (.lostVersion, .sums(let counted, kept: kept)):
            #expect(counted.versionCount == 2 && counted.recordCount == 2)
            #expect(counted.byteCount < kept.byteCount)
        case (.wrongCount, .sums(counted: kept, let wrong)): #expect(wrong.recordCount == 3)
        case (.lostRow, .sums(let counted, kept: kept)): #expect(counted.versionCount == 3)
        case (.setBack, .numberBeyondLast(4, last: 1)): break
        case (.coveredVersion, .coveredVersion(let name)): #expect(name == changes[0].name)
        default: Issue.record("\(found)")
        }
    }
}
