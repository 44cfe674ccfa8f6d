/// How much a made-up disk has done.
package struct DiskCounts: Hashable, Sendable {
    /// Whatever changed something: writes, truncations, flushes, files made, renamed and taken away.
    package internal(set) var writes = 0
    /// The flushes among them.
    package internal(set) var syncs = 0
    /// Bytes written.
    package internal(set) var bytes = 0
}
