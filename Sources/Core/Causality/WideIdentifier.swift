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
        let digits = Array(hexadecimal)
        let cuts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return cuts.map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Reads 32 hexadecimal digits of either case, hyphens ignored; nil for anything else.
    package init?(uuidText: some StringProtocol) {
        let digits = String(uuidText.filter { $0 != "-" })
        guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit),
            let value = UInt128(digits, radix: 16)
        else { return nil }
        self.init(value: value)
    }

    package var description: String { uuidText }
}
