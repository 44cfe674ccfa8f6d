/// Reads deterministic CBOR and refuses everything else; never reads past the end, never traps.
///
/// A reader lives inside one call of `withUnsafeBytes` on what it reads.
/// Source: RFC 8949, sections 3 and 4.2.1.
package struct CanonicalReader {
    private let base: UnsafeRawBufferPointer

    /// The position of the next byte.
    package private(set) var offset: Int

    /// Reads `bytes` from their start.
    package init(_ bytes: UnsafeRawBufferPointer) {
        base = bytes
        offset = 0
    }

    /// How many bytes are left.
    package var remaining: Int { base.count - offset }

    /// The next byte, not taken; nil at the end.
    package var peek: UInt8? { offset < base.count ? base[offset] : nil }

    /// Checks that nothing is left.
    package func finish() throws(WireFault) {
        if remaining != 0 { throw .trailingBytes }
    }

    /// Takes a head: the major type (0 to 7) and the argument.
    ///
    /// A head longer than needed is refused.
    package mutating func head() throws(WireFault) -> (major: UInt8, argument: UInt64) {
        guard offset < base.count else { throw .truncated }
        let first = base[offset]
        let (major, information) = (first >> 5, first & 31)
        if information < 24 {
            offset += 1
            return (major, UInt64(information))
        }
        guard information < 28 else {
            throw information == 31 ? .notDeterministic : .badHead(first)
        }
        let byteCount = 1 << Int(information - 24)
        guard remaining > byteCount else { throw .truncated }
        var argument: UInt64 = 0
        for position in 1...byteCount { argument = argument << 8 | UInt64(base[offset + position]) }
        let least: UInt64 = [24, 0x100, 0x1_0000, 0x1_0000_0000][Int(information - 24)]
        if argument < least && major != 7 { throw .notDeterministic }
        offset += 1 + byteCount
        return (major, argument)
    }

    private mutating func argument(_ major: UInt8, _ expected: WirePart) throws(WireFault) -> UInt64
    {
        if offset < base.count {
            let first = base[offset]
            if first >> 5 == major, first & 31 < 24 {
                offset += 1
                return UInt64(first & 31)
            }
        }
        let (found, argument) = try head()
        if found != major { throw .unexpectedType(expected: expected) }
        return argument
    }

    /// Takes an unsigned integer.
    package mutating func unsigned() throws(WireFault) -> UInt64 {
        try argument(0, .unsigned)
    }

    /// Takes an unsigned integer of at most `max`.
    package mutating func unsigned(max: UInt64, _ part: WirePart) throws(WireFault) -> UInt64 {
        let value = try unsigned()
        if value > max { throw .outOfRange(part) }
        return value
    }

    /// Takes an integer of either sign that fits 64 bits.
    package mutating func integer() throws(WireFault) -> Int64 {
        let (major, argument) = try head()
        guard major <= 1 else { throw .unexpectedType(expected: .integer) }
        guard argument <= UInt64(Int64.max) else { throw .outOfRange(.integer) }
        return major == 0 ? Int64(argument) : -1 - Int64(argument)
    }

    /// Takes the head of an array of at most `max` items, of which each takes a byte or more.
    ///
    /// - Parameter size: how many elements of the array make one item.
    package mutating func array(
        max: Int, of size: Int = 1, _ part: WirePart
    ) throws(WireFault) -> Int {
        try count(4, max: max, of: size, part)
    }

    /// Takes the head of an array that only the bytes behind it bound: each item takes some.
    ///
    /// - Parameters:
    ///   - size: how many elements of the array make one item.
    ///   - byteCount: the fewest bytes of an item.
    package mutating func array(
        of size: Int = 1, takingEach byteCount: Int
    ) throws(WireFault) -> Int {
        let count = try argument(4, .array)
        guard count <= UInt64(remaining), Int(count) / size * byteCount <= remaining else {
            throw .truncated
        }
        return Int(count)
    }

    /// Takes the head of a map of at most `max` pairs.
    package mutating func map(max: Int, _ part: WirePart) throws(WireFault) -> Int {
        try count(5, max: max, of: 1, part)
    }

    private mutating func count(
        _ major: UInt8, max: Int, of size: Int, _ part: WirePart
    ) throws(WireFault) -> Int {
        let count = try argument(major, major == 4 ? .array : .map)
        guard count <= UInt64(max * size) else { throw .overLimit(part, max: max) }
        guard count <= UInt64(remaining) else { throw .truncated }
        return Int(count)
    }

    /// Takes a byte string of at most `max` items.
    ///
    /// - Parameter size: the bytes of one item.
    package mutating func byteString(
        max: Int, of size: Int = 1, _ part: WirePart
    ) throws(WireFault) -> [UInt8] {
        let range = try span(2, max: max, of: size, part)
        return [UInt8](base[range])
    }

    /// Takes the 16 bytes of an identifier.
    package mutating func identifier() throws(WireFault) -> UInt128 {
        let range = try span(2, max: 16, .identifier)
        guard range.count == 16 else { throw .outOfRange(.identifierLength) }
        return raw128(at: range.lowerBound)
    }

    /// Takes the bytes of one wide number, or of two one behind the other.
    mutating func digestPair() throws(WireFault) -> (first: UInt128, second: UInt128?) {
        let range = try span(2, max: 32, .digest)
        switch range.count {
        case 16: return (raw128(at: range.lowerBound), nil)
        case 32: return (raw128(at: range.lowerBound), raw128(at: range.lowerBound + 16))
        default: throw .outOfRange(.digestLength)
        }
    }

    private func raw128(at position: Int) -> UInt128 {
        let high = UInt64(bigEndian: base.loadUnaligned(fromByteOffset: position, as: UInt64.self))
        let low = UInt64(
            bigEndian: base.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self))
        return UInt128(high) << 64 | UInt128(low)
    }

    /// Takes a text of at most `max` bytes; its bytes stay as they are.
    package mutating func text(max: Int, _ part: WirePart) throws(WireFault) -> String {
        let range = try span(3, max: max, part)
        let slice = UnsafeRawBufferPointer(rebasing: base[range])
        if slice.isEmpty { return "" }
        let typed = slice.bindMemory(to: UInt8.self)
        guard let span = try? UTF8Span(validating: typed.span) else { throw .badText }
        return String(copying: span)
    }

    private mutating func span(
        _ major: UInt8, max: Int, of size: Int = 1, _ part: WirePart
    ) throws(WireFault)
        -> Range<Int>
    {
        let count = try argument(major, major == 2 ? .byteString : .text)
        guard count <= UInt64(max * size) else { throw .overLimit(part, max: max) }
        guard count <= UInt64(remaining) else { throw .truncated }
        let start = offset
        offset += Int(count)
        return start..<offset
    }

    /// Takes false or true.
    package mutating func bool() throws(WireFault) -> Bool {
        switch peek {
        case 0xf4:
            offset += 1
            return false
        case 0xf5:
            offset += 1
            return true
        case nil: throw .truncated
        default: throw .unexpectedType(expected: .bool)
        }
    }

    /// Takes null if it is next.
    package mutating func null() -> Bool {
        guard peek == 0xf6 else { return false }
        offset += 1
        return true
    }

    /// Takes `undefined` if it is next.
    package mutating func undefined() -> Bool {
        guard peek == 0xf7 else { return false }
        offset += 1
        return true
    }

    /// Takes a floating-point number in its shortest form.
    package mutating func double() throws(WireFault) -> Double {
        let start = offset
        let first = peek ?? 0
        let (major, argument) = try head()
        guard major == 7, first >= 0xf9, first <= 0xfb else {
            throw .unexpectedType(expected: .double)
        }
        let value: Double =
            switch first {
            case 0xf9: Self.double(halfBits: UInt16(truncatingIfNeeded: argument))
            case 0xfa: Double(Float(bitPattern: UInt32(truncatingIfNeeded: argument)))
            default: Double(bitPattern: argument)
            }
        var writer = CanonicalWriter()
        writer.double(value)
        guard writer.bytes.elementsEqual(base[start..<offset]) else { throw .notDeterministic }
        return value
    }

    private static func double(halfBits bits: UInt16) -> Double {
        let sign: Double = bits & 0x8000 == 0 ? 1 : -1
        let exponent = Int(bits >> 10 & 0x1f)
        let fraction = Double(bits & 0x3ff)
        switch exponent {
        case 0: return sign * fraction * 0x1p-24
        case 31: return fraction == 0 ? sign * .infinity : .nan
        default:
            let power = Double(sign: .plus, exponent: exponent - 15, significand: 1)
            return sign * (1 + fraction / 1024) * power
        }
    }

    /// Passes over one item of any type, checked for determinism; gives its bytes.
    package mutating func skip(
        depth: Int = RecordLimits.nestingDepthMax
    ) throws(WireFault)
        -> UnsafeRawBufferPointer
    {
        let start = offset
        guard depth > 0 else { throw .nestedTooDeep }
        switch (peek ?? 0) >> 5 {
        case 0, 1: _ = try head()
        case 2: _ = try span(2, max: .max, .byteString)
        case 3: _ = try text(max: .max, .text)
        case 4:
            for _ in 0..<(try array(max: .max, .array)) { _ = try skip(depth: depth - 1) }
        case 5: try skipMap(depth: depth)
        case 6:
            _ = try head()
            _ = try skip(depth: depth - 1)
        default: try skipSimple()
        }
        return UnsafeRawBufferPointer(rebasing: base[start..<offset])
    }

    private mutating func skipMap(depth: Int) throws(WireFault) {
        var last: UnsafeRawBufferPointer?
        for _ in 0..<(try map(max: .max, .map)) {
            let key = try skip(depth: depth - 1)
            if let last, !last.lexicographicallyPrecedes(key) { throw .notSorted }
            last = key
            _ = try skip(depth: depth - 1)
        }
    }

    private mutating func skipSimple() throws(WireFault) {
        guard let first = peek else { throw .truncated }
        switch first {
        case 0xf9, 0xfa, 0xfb: _ = try double()
        case 0xe0...0xf7: offset += 1
        default: throw .badHead(first)
        }
    }

    /// The bytes from `start` up to here.
    package func bytes(from start: Int) -> [UInt8] {
        [UInt8](base[start..<offset])
    }
}
