/// Bytes as people type and scan them: Crockford's base 32, in lines that each carry a check.
///
/// Letters may be small, I and L count as 1, O as 0; blanks, hyphens and line ends are passed over.
/// Source: Protocol/11-Pairing.md.
package enum CodeText {
    /// The characters of a group.
    static let groupCount = 5
    /// The characters of a line, the last of which is the check over the others.
    static let lineCount = 35

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The characters without blanks.
    package static func encode(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
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
        var text: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: lineCount - 1) {
            let line = digits[start..<min(start + lineCount - 1, digits.count)]
            text += line.map { alphabet[Int($0)] }
            text.append(alphabet[Int(check(line))])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The characters in lines of groups, for people.
    package static func lines(_ text: String) -> [String] {
        let all = Array(text.utf8)
        return stride(from: 0, to: all.count, by: lineCount).map { start in
            let line = all[start..<min(start + lineCount, all.count)]
            let groups = stride(from: line.startIndex, to: line.endIndex, by: groupCount).map {
                String(decoding: line[$0..<min($0 + groupCount, line.endIndex)], as: UTF8.self)
            }
            return groups.joined(separator: "-")
        }
    }

    /// Returns the text that was typed before a line of the code, counted from 1.
    package static func typed(_ text: String, before line: Int) -> String {
        var rest = (line - 1) * lineCount
        return String(
            text.prefix { character in
                if character != "-", !character.isWhitespace { rest -= 1 }
                return rest >= 0
            })
    }

    /// The bytes again; those of the lines before the first wrong one if `problem` is set.
    package static func decode(_ text: String) -> (bytes: [UInt8], problem: PairingProblem?) {
        var digits: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar == "-" || scalar.properties.isWhitespace { continue }
            guard let digit = digit(scalar) else {
                return ([], .strayCharacter(Character(scalar)))
            }
            digits.append(digit)
            if digits.count > PairingCode.digitCountMax { return ([], .tooLong) }
        }
        var content: [UInt8] = []
        var problem: PairingProblem?
        for (number, start) in stride(from: 0, to: digits.count, by: lineCount).enumerated() {
            let line = digits[start..<min(start + lineCount, digits.count)]
            guard let last = line.last, line.count > 1, check(line.dropLast()) == last else {
                let isShort = line.count < lineCount
                problem = isShort ? .wrongEnd(line: number + 1) : .mistyped(line: number + 1)
                break
            }
            content += line.dropLast()
        }
        return (bytes(content), problem)
    }

    private static func bytes(_ digits: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var held: UInt32 = 0
        var bitCount = 0
        for digit in digits {
            held = held << 5 | UInt32(digit)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(held >> UInt32(bitCount) & 255))
                held &= (1 << UInt32(bitCount)) - 1
            }
        }
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

    /// A sum over GF(32) with another weight for each place: it notices every single wrong character,
    /// and every two neighbours that changed places.
    private static func check(_ digits: ArraySlice<UInt8>) -> UInt8 {
        // Horner's rule. The check itself has the weight 1, so the last digit must have another.
        digits.reduce(1) { sum, digit in doubled(sum) ^ doubled(digit) }
    }

    /// Modulo x^5 + x^2 + 1.
    private static func doubled(_ digit: UInt8) -> UInt8 {
        let doubled = digit << 1
        return doubled & 32 == 0 ? doubled : doubled ^ 0b100101
    }
}
