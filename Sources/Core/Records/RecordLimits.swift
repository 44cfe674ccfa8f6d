/// How large a record may grow.
///
/// A local edit over a limit is refused; a change over one is parked.
package enum RecordLimits {
    /// The longest value, in bytes of its canonical form.
    package static let valueByteCountMax = 256 * 1024

    /// The longest name of a field, in bytes of UTF-8.
    package static let nameByteCountMax = 256

    /// The most assignments that one record may hold.
    package static let assignmentCountMax = 4096

    /// The most replicas in one clock.
    package static let replicaCountMax = 4096

    /// The longest body that a local edit may make, in bytes.
    package static let localBodyByteCountMax = 4 * 1024 * 1024

    /// The longest body that is accepted from a peer, in bytes.
    package static let bodyByteCountMax = 64 * 1024 * 1024

    /// The deepest nesting inside a value of an unknown kind.
    package static let nestingDepthMax = 8
}
