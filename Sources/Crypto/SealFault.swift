/// Why something sealed could not be opened, or not be sealed.
package enum SealFault: Error, Hashable, Sendable {
    /// It is shorter than anything sealed, or of an unknown form.
    case malformed
    /// It was sealed with the secret of another generation.
    case otherGeneration(UInt32)
    /// It was changed, moved to another place, or sealed by somebody with another secret; which of these
    /// cannot be told.
    case notAuthentic
    /// It is longer than the limit; bytes.
    case tooLong(max: Int)
    /// The cryptographic library failed; its words.
    case library(String)
}

extension SealFault: CustomStringConvertible {
    /// The fault in words, then the next step.
    package var description: String {
        switch self {
        case .malformed:
            "it is nothing that was sealed by this program; upgrade it if a newer one did"
        case .otherGeneration(let generation):
            "it was sealed with the secret of generation \(generation); join the space anew, or wait for "
                + "the device that changed the secret"
        case .notAuthentic: "no device of this space sealed it so; it was left alone"
        case .tooLong(let max): "it is longer than \(max) bytes"
        case .library(let words): "OpenSSL failed: \(words)"
        }
    }
}
