/// What a power cut leaves of that which was not flushed.
package enum DiskKeeping: Hashable, Sendable {
    /// Nothing.
    case nothingUnsynced
    /// All of it.
    case everything
}
