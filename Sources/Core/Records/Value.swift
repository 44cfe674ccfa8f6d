/// A value that a field can hold.
///
/// Two values are equal if their canonical bytes are: text by its bytes, without Unicode folding; the
/// integer 1 is not the number 1.0.
package enum Value: Sendable {
    /// Nothing: the field was cleared.
    case null

    /// Yes or no.
    case bool(Bool)

    /// A whole number.
    case int(Int64)

    /// A floating-point number; all NaNs are one.
    case double(Double)

    /// Text, kept byte for byte.
    case text(String)

    /// Bytes.
    case bytes([UInt8])

    /// A point in time: milliseconds since 1970-01-01 UTC.
    case instant(Int64)

    /// A date without a time zone: days since 1970-01-01.
    case day(Int32)

    /// Another record.
    indirect case reference(RecordID)

    /// The writes that a deleter had seen, its own included; only in the field `deleted`.
    case clock(VersionVector)

    /// A value left out because its reader has it; only in a change on its way, never at rest.
    case elided

    /// A kind of value from a newer version: its canonical CBOR, kept and passed on untouched.
    case unknown([UInt8])

    /// Whether this is `null`.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether the value was left out on the way.
    package var isElided: Bool {
        if case .elided = self { true } else { false }
    }
}

extension Value: Hashable {
    package static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null), (.elided, .elided): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)), (.instant(let a), .instant(let b)): a == b
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN)
        case (.text(let a), .text(let b)): a.hasSameBytes(as: b)
        case (.bytes(let a), .bytes(let b)), (.unknown(let a), .unknown(let b)):
            a.withUnsafeBytes { left in b.withUnsafeBytes { left.hasSameBytes(as: $0) } }
        case (.day(let a), .day(let b)): a == b
        case (.reference(let a), .reference(let b)): a == b
        case (.clock(let a), .clock(let b)): a == b
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(canonicalBytes)
    }
}

extension Value: Comparable {
    /// Sorts by canonical bytes.
    package static func < (left: Value, right: Value) -> Bool {
        if case .text(let a) = left, case .text(let b) = right {
            let (countA, countB) = (a.utf8.count, b.utf8.count)
            return countA == countB
                ? a.utf8.lexicographicallyPrecedes(b.utf8) : countA < countB
        }
        return left.canonicalBytes.lexicographicallyPrecedes(right.canonicalBytes)
    }
}

extension String {
    /// Whether both are the same bytes; `==` folds forms of Unicode that are different bytes.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8, other.utf8)
        guard left.count == right.count else { return false }
        let answer = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
            }
        }
        return (answer ?? nil) ?? left.elementsEqual(right)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether both hold the same bytes; eight at a time, since long texts are compared at each merge.
    fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var place = 0
        while place + 8 <= count {
            let word = loadUnaligned(fromByteOffset: place, as: UInt64.self)
            if word != other.loadUnaligned(fromByteOffset: place, as: UInt64.self) { return false }
            place += 8
        }
        while place < count {
            if self[place] != other[place] { return false }
            place += 1
        }
        return true
    }
}

extension Value {
    /// The canonical bytes: deterministic CBOR, equal for equal values alone.
    ///
    /// A clock names its replicas in full here. In a body, where `writeBody` writes it, it names them
    /// by their place in the record's clock.
    package var canonicalBytes: [UInt8] {
        var writer = CanonicalWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Writes the canonical bytes.
    package func write(to writer: inout CanonicalWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .int(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .text(let value): writer.text(value)
        case .bytes(let value): writer.byteString(value)
        case .instant(let value):
            writer.array(2)
            writer.unsigned(ValueKind.instant)
            writer.integer(value)
        case .day(let value):
            writer.array(2)
            writer.unsigned(ValueKind.day)
            writer.integer(Int64(value))
        case .reference(let id):
            writer.array(2)
            writer.unsigned(ValueKind.reference)
            writer.identifier(id.value)
        case .clock(let clock):
            writer.array(2)
            writer.unsigned(ValueKind.clock)
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
        case .elided: writer.undefined()
        case .unknown(let bytes): writer.bytes.append(contentsOf: bytes)
        }
    }

    /// How many bytes the canonical form takes at most, near enough for a limit: a head counts nine.
    package var approximateByteCount: Int {
        switch self {
        case .text(let value): value.utf8.count + 9
        case .bytes(let value), .unknown(let value): value.count + 9
        case .clock(let clock): clock.entries.count * 26 + 11
        case .reference: 19
        default: 11
        }
    }
}

/// The numbers of the kinds of value that CBOR has no type for: `[number, payload]`.
package enum ValueKind {
    /// Milliseconds since 1970-01-01 UTC.
    package static let instant: UInt64 = 1
    /// Days since 1970-01-01.
    package static let day: UInt64 = 2
    /// The 16 bytes of a record's id.
    package static let reference: UInt64 = 3
    /// A version vector.
    package static let clock: UInt64 = 4
}
