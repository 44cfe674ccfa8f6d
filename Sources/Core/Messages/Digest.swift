/// What two stores compare to see whether the same history gave the same contents.
///
/// Shape on the wire: a byte string of 16 bytes (`contents`), or of 32 (`contents`, then `clocks`).
/// Source: Protocol/2-Values.md.
package struct Digest: Hashable, Sendable {
    /// The sum of H(canonical bytes) over all integrated records, modulo 2^128.
    package var contents: UInt128
    /// The hash of the tallies over integrated records alone; nil if nothing is parked, as these are
    /// the stated tallies then.
    package var clocks: UInt128?

    /// The digest of a store; `clocks` only where something is parked.
    package init(contents: UInt128, clocks: UInt128? = nil) {
        self.contents = contents
        self.clocks = clocks
    }
}

extension Digest: ExpressibleByIntegerLiteral {
    /// The digest of a store in which nothing is parked.
    package init(integerLiteral contents: UInt128) {
        self.init(contents: contents)
    }
}
