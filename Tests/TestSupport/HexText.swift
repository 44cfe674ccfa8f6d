/// Bytes as hexadecimal text and back.
package enum HexText {
    /// Two lower-case digits a byte.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes; blanks are passed over, anything else that is no digit is a mistake in the test.
    package static func decode(_ text: String) -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace }.map { digit -> UInt8 in
            guard let value = digit.hexDigitValue else { preconditionFailure("no digit: \(digit)") }
            return UInt8(value)
        }
        precondition(digits.count.isMultiple(of: 2), "half a byte")
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
