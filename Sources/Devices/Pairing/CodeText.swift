/// Bytes as people type and scan them: Crockford's base 32, behind a meeting point, with two check characters.
///
/// Letters may be small, I and L count as 1, O as 0; blanks, hyphens and line ends are passed over.
/// Source: Protocol/11-Pairing.md §1.
package enum CodeText {
    /// The characters of a group.
    static let groupCount = 4
    /// The check characters.
    static let checkCount = 2

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The characters of some bytes and their check, without hyphens.
    package static func encode(_ bytes: [UInt8], at meeting: String) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity((bytes.count * 8 + 4) / 5 + checkCount)
        defer { digits.wipe() }
        var held: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            held = held << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                digits.append(UInt8(held >> UInt32(bitCount) & 31))
            }
            held &= (1 << UInt32(bitCount)) - 1
        }
        if bitCount > 0 { digits.append(UInt8(held << UInt32(5 - bitCount) & 31)) }
        digits += check(digits, at: meeting)
        for index in digits.indices { digits[index] = alphabet[Int(digits[index])] }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The characters in groups, for people.
    package static func grouped(_ text: String) -> String {
        let all = Array(text.utf8)
        let groups = stride(from: 0, to: all.count, by: groupCount).map { start in
            String(decoding: all[start..<min(start + groupCount, all.count)], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// The bytes again.
    package static func decode(
        _ text: some StringProtocol, at meeting: String, byteCount: Int
    ) throws(PairingProblem) -> [UInt8] {
        let digitCount = (byteCount * 8 + 4) / 5
        var digits: [UInt8] = []
        digits.reserveCapacity(digitCount + checkCount + 1)
        defer { digits.wipe() }
        for scalar in text.unicodeScalars {
            if scalar == "-" || scalar.properties.isWhitespace { continue }
            guard let digit = digit(scalar) else { throw .strayCharacter(Character(scalar)) }
            digits.append(digit)
            if digits.count > digitCount + checkCount { throw .tooLong }
        }
        guard digits.count == digitCount + checkCount else { throw .cutOff }
        let content = digits.prefix(digitCount)
        guard check(content, at: meeting) == Array(digits.suffix(checkCount)) else {
            throw .mistyped
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        var held: UInt32 = 0
        var bitCount = 0
        for digit in content {
            held = held << 5 | UInt32(digit)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(held >> UInt32(bitCount) & 255))
                held &= (1 << UInt32(bitCount)) - 1
            }
        }
        // Bits that fill the last character are zero, so that a code has one form.
        guard held == 0 else { throw .mistyped }
        return bytes
    }

    private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.isASCII else { return nil }
        var letter = UInt8(scalar.value)
        if (0x61...0x7a).contains(letter) { letter -= 0x20 }
        switch letter {
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case UInt8(ascii: "O"): return 0
        default: return alphabet.firstIndex(of: letter).map { UInt8($0) }
        }
    }

    /// Two sums over GF(32), each with another weight for each character, over the meeting point and the digits: they notice
    /// every single wrong character, and every two neighbours that changed places.
    private static func check(_ digits: some Sequence<UInt8>, at meeting: String) -> [UInt8] {
        var (first, second): (UInt8, UInt8) = (1, 1)
        // Horner's rule. The checks themselves have the weight 1, so the last digit must have another.
        func add(_ digit: UInt8) {
            first = doubled(first) ^ doubled(digit)
            second = doubled(doubled(second)) ^ doubled(doubled(digit))
        }
        for byte in meeting.utf8 {
            add(byte >> 5)
            add(byte & 31)
        }
        for digit in digits { add(digit) }
        return [first, second]
    }

    /// Modulo x^5 + x^2 + 1.
    private static func doubled(_ digit: UInt8) -> UInt8 {
        let doubled = digit << 1
        return doubled & 32 == 0 ? doubled : doubled ^ 0b100101
    }
}
