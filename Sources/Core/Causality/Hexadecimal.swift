/// Bytes and numbers as digits of base 16, in lower case.
package enum Hexadecimal {
    /// Two digits a byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String { text(Array(bytes)) }

    /// The same of an array, for which other modules need no generic code.
    package static func text(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 0xf))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Sixteen digits.
    package static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The bytes of a text with digits of either case; nil for anything else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[start]), let low = value(digits[start + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The digit of a number below 16.
    private static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + (number - 10)
    }

    /// The number that a digit of either case is; nil for any other byte.
    package static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
