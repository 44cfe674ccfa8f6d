/// A 16-byte name that sorts like its big-endian bytes.
package protocol WideIdentifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The 16 bytes, read big-endian.
    var value: UInt128 { get }

    /// Wraps 16 bytes that were read big-endian.
    init(value: UInt128)
}

extension WideIdentifier {
    /// The first eight bytes, read big-endian.
    package var high: UInt64 { UInt64(truncatingIfNeeded: value >> 64) }

    /// The last eight bytes, read big-endian.
    package var low: UInt64 { UInt64(truncatingIfNeeded: value) }

    /// Joins two halves, each read big-endian.
    package init(high: UInt64, low: UInt64) {
        self.init(value: UInt128(high) << 64 | UInt128(low))
    }

    /// Reads 16 bytes; nil if `bytes` is of another length.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(value: bytes.reduce(into: UInt128(0)) { $0 = $0 << 8 | UInt128($1) })
    }

    /// The 16 bytes, most significant first.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: value >> (120 - 8 * UInt128($0))) }
    }

    /// Thirty-two lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// The form of RFC 9562: 8-4-4-4-12 lower-case hexadecimal digits.
    package var uuidText: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    text[place] = UInt8(ascii: "-")
                    place += 1
                }
                let number = UInt8(truncatingIfNeeded: value >> UInt128(124 - 4 * digit)) & 15
                text[place] =
                    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
                place += 1
            }
            return place
        }
    }

    /// Reads 32 hexadecimal digits of either case, hyphens ignored; nil for anything else.
    package init?(uuidText: some StringProtocol) {
        var value: UInt128 = 0
        var count = 0
        for byte in uuidText.utf8 where byte != UInt8(ascii: "-") {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            count += 1
            if count > 32 { return nil }
            value = value << 4 | UInt128(digit)
        }
        guard count == 32 else { return nil }
        self.init(value: value)
    }

    package var description: String { uuidText }
}
