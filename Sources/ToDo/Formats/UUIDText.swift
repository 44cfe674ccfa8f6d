/// A 128-bit id in the form of RFC 9562: 8-4-4-4-12 hexadecimal digits.
enum UUIDText {
    static func text(_ value: UInt128) -> String {
        let hexadecimal = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for index in 0..<32 {
            if [8, 12, 16, 20].contains(index) { bytes.append(UInt8(ascii: "-")) }
            bytes.append(hexadecimal[Int(truncatingIfNeeded: value >> (124 - 4 * index)) & 15])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads that form, in either case; nil for anything else.
    static func value(_ text: String) -> UInt128? {
        var value: UInt128 = 0
        var index = 0
        for byte in text.utf8 {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
                value = value << 4 | UInt128(digit)
            }
            index += 1
        }
        return index == 36 ? value : nil
    }
}
