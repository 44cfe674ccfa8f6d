/// The numbers of the kinds of value that CBOR has no type for: `[number, payload]`.
package enum ValueKind {
    /// Milliseconds since 1970-01-01 UTC.
    package static let instant: UInt64 = 1
    /// Days since 1970-01-01.
    package static let day: UInt64 = 2
    /// The 16 bytes of a record's id.
    package static let reference: UInt64 = 3
    /// A version vector.
    package static let clock: UInt64 = 4
}
