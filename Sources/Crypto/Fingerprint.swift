/// A device's identity: the SHA-256 of its public key (as a SubjectPublicKeyInfo, RFC 5280).
///
/// The certificate around the key may be made anew without the device becoming another.
package struct Fingerprint: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 32

    /// The hash.
    package let bytes: [UInt8]

    /// A hash that was received or stored; nil unless it has 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Reads the text form; case, hyphens, colons and blanks do not matter.
    ///
    /// - Throws: `FingerprintProblem`.
    package init(parsing text: String) throws(FingerprintProblem) {
        var digits: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "-", ":", " ": continue
            default: break
            }
            guard let digit = Self.digit(scalar) else {
                throw .strayCharacter(Character(scalar))
            }
            guard digits.count < Self.byteCount * 2 else { throw .wrongLength }
            digits.append(digit)
        }
        guard digits.count == Self.byteCount * 2 else { throw .wrongLength }
        bytes = (0..<Self.byteCount).map { digits[$0 * 2] << 4 | digits[$0 * 2 + 1] }
    }

    /// The beginning of it, for lists; too short to trust anybody by.
    package var short: String { String(description.prefix(9)) }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar {
        case "0"..."9": UInt8(scalar.value - 0x30)
        case "a"..."f": UInt8(scalar.value - 0x61 + 10)
        case "A"..."F": UInt8(scalar.value - 0x41 + 10)
        default: nil
        }
    }
}

extension Fingerprint: CustomStringConvertible {
    /// Sixteen groups of four hexadecimal digits with hyphens between them.
    package var description: String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if index > 0, index % 2 == 0 { text += "-" }
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
        return text
    }
}

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
