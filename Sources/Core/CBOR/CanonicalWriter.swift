/// Writes deterministic CBOR: shortest heads, definite lengths; the caller sorts the keys of maps.
///
/// Source: RFC 8949, section 4.2.1.
package struct CanonicalWriter: Sendable {
    /// The bytes written so far.
    package var bytes: [UInt8]

    /// Starts with nothing, or goes on behind `bytes`.
    package init(_ bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Writes the head of an item: its major type (0 to 7) and its argument, in as few bytes as hold it.
    package mutating func head(_ major: UInt8, _ argument: UInt64) {
        let type = major << 5
        if argument < 24 {
            bytes.append(type | UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xff {
            bytes.append(type | 24)
            bytes.append(UInt8(truncatingIfNeeded: argument))
        } else if argument <= 0xffff {
            bytes.append(type | 25)
            bigEndian(argument, byteCount: 2)
        } else if argument <= 0xffff_ffff {
            bytes.append(type | 26)
            bigEndian(argument, byteCount: 4)
        } else {
            bytes.append(type | 27)
            bigEndian(argument, byteCount: 8)
        }
    }

    /// Writes an unsigned integer.
    package mutating func unsigned(_ value: UInt64) {
        head(0, value)
    }

    /// Writes an integer of either sign.
    package mutating func integer(_ value: Int64) {
        if value >= 0 {
            head(0, UInt64(value))
        } else {
            head(1, UInt64(bitPattern: -1 - value))
        }
    }

    /// Writes a byte string.
    package mutating func byteString(_ value: [UInt8]) {
        head(2, UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes the 16 bytes of an identifier as a byte string.
    package mutating func identifier(_ value: UInt128) {
        bytes.append(0x50)
        raw(value)
    }

    /// Writes 16 bytes big-endian without a head.
    package mutating func raw(_ value: UInt128) {
        bigEndian(UInt64(truncatingIfNeeded: value >> 64), byteCount: 8)
        bigEndian(UInt64(truncatingIfNeeded: value), byteCount: 8)
    }

    /// Writes a text string; its bytes stay as they are.
    package mutating func text(_ value: String) {
        var value = value
        value.withUTF8 { utf8 in
            head(3, UInt64(utf8.count))
            bytes.append(contentsOf: utf8)
        }
    }

    /// Writes the head of an array of `count` items.
    package mutating func array(_ count: Int) {
        head(4, UInt64(count))
    }

    /// Writes the head of a map of `count` pairs.
    package mutating func map(_ count: Int) {
        head(5, UInt64(count))
    }

    /// Writes false or true.
    package mutating func bool(_ value: Bool) {
        bytes.append(value ? 0xf5 : 0xf4)
    }

    /// Writes null.
    package mutating func null() {
        bytes.append(0xf6)
    }

    /// Writes `undefined`, which stands for a value left out.
    package mutating func undefined() {
        bytes.append(0xf7)
    }

    /// Writes a floating-point number in the fewest bytes that hold it exactly; every NaN is the same.
    package mutating func double(_ value: Double) {
        if value.isNaN {
            bytes.append(contentsOf: [0xf9, 0x7e, 0x00])
        } else if let half = Self.halfBits(value) {
            bytes.append(0xf9)
            bigEndian(UInt64(half), byteCount: 2)
        } else if Double(Float(value)).bitPattern == value.bitPattern {
            bytes.append(0xfa)
            bigEndian(UInt64(Float(value).bitPattern), byteCount: 4)
        } else {
            bytes.append(0xfb)
            bigEndian(value.bitPattern, byteCount: 8)
        }
    }

    private mutating func bigEndian(_ value: UInt64, byteCount: Int) {
        var shift = UInt64(byteCount * 8)
        while shift > 0 {
            shift -= 8
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// The 16-bit form of a number, or nil if it does not hold the number exactly.
    ///
    /// Worked out on the bits, as `Float16` is not to be had on every machine.
    private static func halfBits(_ value: Double) -> UInt16? {
        let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
        if value.isZero { return sign }
        if value.isInfinite { return sign | 0x7c00 }
        let magnitude = abs(value)
        if magnitude >= 0x1p-14 {
            guard value.exponent <= 15 else { return nil }
            let scaled = value.significand.magnitude * 1024 - 1024
            guard scaled == scaled.rounded(.down), scaled < 1024 else { return nil }
            return sign | UInt16(value.exponent + 15) << 10 | UInt16(scaled)
        }
        let scaled = magnitude * 0x1p24
        guard scaled == scaled.rounded(.down), scaled >= 1 else { return nil }
        return sign | UInt16(scaled)
    }
}
