/// Why a text is no fingerprint.
package enum FingerprintProblem: Error, Equatable, Sendable {
    /// A character that is neither a hexadecimal digit nor a separator.
    case strayCharacter(Character)
    /// Not 64 digits.
    case wrongLength
}

extension FingerprintProblem: CustomStringConvertible {
    /// The problem in words.
    package var description: String {
        switch self {
        case .strayCharacter(let character):
            "a fingerprint has hexadecimal digits and hyphens, not '\(character)'"
        case .wrongLength: "a fingerprint has 64 hexadecimal digits"
        }
    }
}
