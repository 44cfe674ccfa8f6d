import CCoverage
import Glibc

/// The counters of executed code, as `./Tools/walks` wants them: one file for each walk.
///
/// Without `TANDEM_WALKS`, or in a program without counters, a walk is only walked.
enum WalkCounters {
    /// The folder for the counters; nil if nobody counts.
    private static var folder: String? {
        guard tandem_has_counters() != 0, let folder = getenv("TANDEM_WALKS") else { return nil }
        return String(cString: folder)
    }

    /// Counts the code that is executed during `walk`, and none before or after.
    static func count(_ name: String, _ walk: () throws -> Void) throws {
        guard let folder else { return try walk() }
        tandem_reset_counters()
        try walk()
        guard tandem_write_counters("\(folder)/\(name).profraw") == 0 else {
            throw WalkFailure(detail: "cannot write the counters of \(name) to \(folder)")
        }
    }
}

/// A walk that did not arrive.
struct WalkFailure: Error {
    let detail: String
}
