import Core

/// Escapes of bytes in the paths and queries of addresses (RFC 3986, section 2.1).
package enum PercentCoding {
    /// Bytes with their escapes decoded; nil if an escape is malformed.
    ///
    /// - Parameter plusIsSpace: as in the fields of forms and queries.
    package static func decoded(
        _ bytes: some Sequence<UInt8>, plusIsSpace: Bool = false
    ) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.next().flatMap(Hexadecimal.value),
                    let low = rest.next().flatMap(Hexadecimal.value)
                else { return nil }
                result.append(high << 4 | low)
            } else {
                result.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return result
    }

    /// A text as one part of a path, or the name or value of a query's field.
    package static func encoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
