/// Something could not be sealed; what the cryptographic library says.
package struct SealFailure: Error, Hashable, Sendable {
    /// What went wrong, in words.
    package let reason: String

    /// A failure.
    package init(_ reason: String) {
        self.reason = reason
    }
}
