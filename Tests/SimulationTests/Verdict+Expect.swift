// Several suites of this module share it.
import Simulation
import Testing

extension Verdict {
    /// Expects that the body ends in this verdict.
    func expect(
        _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        let violation = #expect(throws: Violation.self, sourceLocation: location) { try body() }
        #expect(
            violation?.verdict == self, "\(violation?.description ?? "")",
            sourceLocation: location)
    }
}
