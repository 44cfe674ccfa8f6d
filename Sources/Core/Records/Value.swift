/// A value that a field can hold.
///
/// An attribute of an app's record holds ``null``, a value of its kind, or ``unknown(_:)``; ``clock(_:)`` and
/// ``elided`` are the engine's own.
///
/// Two values are equal if their canonical bytes are: text by its bytes, without Unicode folding; the
/// integer 1 is not the number 1.0.
public enum Value: Sendable {
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
    indirect case reference(RecordName)

    /// The writes that a deleter had seen, its own included; only in the field `deleted`.
    case clock(VersionVector)

    /// A value left out because its reader has it; only in a change on its way, never at rest.
    case elided

    /// A kind of value from a newer version: its canonical CBOR, kept and passed on untouched.
    case unknown([UInt8])

    /// The kind of the value.
    package var kind: ValueKind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .integer
        case .double: .number
        case .text: .text
        case .bytes: .bytes
        case .instant: .instant
        case .day: .day
        case .reference: .reference
        case .clock: .clock
        case .elided: .elided
        case .unknown: .unknown
        }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether the value was left out on the way.
    package var isElided: Bool {
        if case .elided = self { true } else { false }
    }
}

/// The kinds of value, each with the name that vectors and scenarios give it.
package enum ValueKind: String, CaseIterable, Sendable {
    case null, bool, integer, number, text, bytes, instant, day, reference, clock, elided, unknown

    /// The numbers of the kinds that CBOR has no type for: `[number, payload]`.
    fileprivate enum Number: UInt64 {
        /// Milliseconds since 1970-01-01 UTC.
        case instant = 1
        /// Days since 1970-01-01.
        case day = 2
        /// The collection and the 16 bytes of a record's id.
        case reference = 3
        /// A version vector.
        case clock = 4
    }
}

// MARK: Order

extension Value: Hashable {
    public static func == (left: Value, right: Value) -> Bool {
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

    public func hash(into hasher: inout Hasher) {
        hasher.combine(canonicalBytes)
    }
}

extension Value: Comparable {
    /// Sorts by canonical bytes.
    public static func < (left: Value, right: Value) -> Bool {
        if case .text(let a) = left, case .text(let b) = right {
            let (countA, countB) = (a.utf8.count, b.utf8.count)
            return countA == countB
                ? a.utf8.lexicographicallyPrecedes(b.utf8) : countA < countB
        }
        return left.canonicalBytes.lexicographicallyPrecedes(right.canonicalBytes)
    }
}

// MARK: Bytes

extension Value {
    /// The canonical bytes: deterministic CBOR, equal for equal values alone.
    ///
    /// A clock names its replicas in full here, and in a body by their places in the record's clock.
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
            writer.kind(.instant)
            writer.integer(value)
        case .day(let value):
            writer.kind(.day)
            writer.integer(Int64(value))
        case .reference(let name):
            writer.kind(.reference)
            writer.array(2)
            BodyCodec.write(name.collection, to: &writer)
            writer.identifier(name.id.value)
        case .clock(let clock):
            writer.kind(.clock)
            writer.array(clock.entries.count * 2)
            for entry in clock.entries {
                writer.identifier(entry.replica.value)
                writer.unsigned(entry.counter)
            }
        case .elided: writer.undefined()
        case .unknown(let bytes): writer.bytes.append(contentsOf: bytes)
        }
    }

    /// Writes the value as a body holds it: a clock names its replicas by their places in `clock`, which has
    /// them all.
    func write(to writer: inout CanonicalWriter, in clock: VersionVector) {
        guard case .clock(let seen) = self else { return write(to: &writer) }
        writer.kind(.clock)
        writer.array(seen.entries.count * 2)
        for entry in seen.entries {
            writer.unsigned(UInt64(BodyCodec.index(of: entry.replica, in: clock)))
            writer.unsigned(entry.counter)
        }
    }

    /// How many bytes the canonical form takes at most, near enough for a limit: a head counts nine.
    package var approximateByteCount: Int {
        switch self {
        case .text(let value): value.utf8.count + 9
        case .bytes(let value), .unknown(let value): value.count + 9
        case .clock(let clock): clock.entries.count * 26 + 11
        case .reference(let name): name.byteCountMax + 4
        default: 11
        }
    }
}

// MARK: Access

extension Value {
    /// Yes or no; nil if this is a value of another kind.
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The whole number; nil if this is a value of another kind.
    public var int: Int64? { if case .int(let number) = self { number } else { nil } }

    /// The floating-point number; nil if this is a value of another kind.
    public var double: Double? { if case .double(let number) = self { number } else { nil } }

    /// The text; nil if this is a value of another kind.
    public var text: String? { if case .text(let text) = self { text } else { nil } }

    /// The bytes; nil if this is a value of another kind.
    public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The milliseconds since 1970-01-01 UTC; nil if this is a value of another kind.
    public var instant: Int64? { if case .instant(let instant) = self { instant } else { nil } }

    /// The days since 1970-01-01; nil if this is a value of another kind.
    public var day: Int32? { if case .day(let day) = self { day } else { nil } }

    /// The record to which the reference points, present or not; nil if this is a value of another kind.
    public var reference: RecordName? { if case .reference(let name) = self { name } else { nil } }
}

extension CanonicalWriter {
    /// Writes the beginning of a value for whose kind CBOR has no type; the payload follows.
    fileprivate mutating func kind(_ number: ValueKind.Number) {
        array(2)
        unsigned(number.rawValue)
    }
}

extension CanonicalReader {
    /// Takes a value in canonical form, as it stands in a field or as a set's element.
    ///
    /// - Parameter clock: the record's clock, by whose indexes a clock value names its replicas; `nil` where none may be.
    package mutating func value(in clock: VersionVector?) throws(WireFault) -> Value {
        let start = offset
        guard let first = peek else { throw .truncated }
        let value: Value
        switch first {
        case 0xf4, 0xf5: value = .bool(try bool())
        case 0xf6:
            _ = null()
            value = .null
        case 0xf7:
            _ = undefined()
            value = .elided
        case 0xf9...0xfb: value = .double(try double())
        case 0x00...0x3b: value = .int(try integer())
        case 0x40...0x5b:
            value = .bytes(try byteString(max: RecordLimits.valueByteCountMax, .value))
        case 0x60...0x7b: value = .text(try text(max: RecordLimits.valueByteCountMax, .value))
        case 0x82: value = try taggedValue(in: clock)
        default: throw .unexpectedType(expected: .value)
        }
        // A clock value names replicas of the record's clock, whose length has a limit of its own: a delete must be read
        // however many ids that has.
        if case .clock = value { return value }
        if offset - start > RecordLimits.valueByteCountMax + 16 {
            throw .overLimit(.value, max: RecordLimits.valueByteCountMax)
        }
        return value
    }

    private mutating func taggedValue(in clock: VersionVector?) throws(WireFault) -> Value {
        let start = offset
        _ = try head()
        switch ValueKind.Number(rawValue: try unsigned()) {
        case .instant: return .instant(try integer())
        case .day:
            let days = try integer()
            guard let day = Int32(exactly: days) else { throw .outOfRange(.day) }
            return .day(day)
        case .reference:
            guard try array(max: 2, .reference) == 2 else { throw .outOfRange(.reference) }
            let collection = try fieldName()
            return .reference(RecordName(collection, RecordID(value: try identifier())))
        case .clock:
            guard let clock else { throw .unexpectedType(expected: .value) }
            return .clock(try clockValue(in: clock))
        case nil:
            _ = try skip()
            return .unknown(bytes(from: start))
        }
    }

    /// Takes pairs of an index in `clock` and a counter that this index covers.
    private mutating func clockValue(in clock: VersionVector) throws(WireFault) -> VersionVector {
        let count = try array(max: clock.entries.count, of: 2, .clockEntries)
        guard count % 2 == 0 else { throw .outOfRange(.clockLength) }
        var entries: [VersionVector.Entry] = []
        for _ in 0..<count / 2 {
            let index = try unsigned(max: UInt64(clock.entries.count) - 1, .clockIndex)
            let entry = clock.entries[Int(index)]
            let counter = try unsigned(max: entry.counter, .clockCounter)
            entries.append(VersionVector.Entry(replica: entry.replica, counter: counter))
        }
        guard let result = VersionVector(sorted: entries) else { throw .notSorted }
        return result
    }
}

// MARK: Text

extension Value {
    /// The value as one line of text, from which `init(_:text:)` reads it again: a date as `2026-11-27`, bytes as
    /// hexadecimal digits; nil for a value without such a form.
    package var textForm: String? {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .text(let value): value
        case .bytes(let value): Hexadecimal.text(value)
        case .instant(let value): MomentText.text(instant: value)
        case .day(let value): MomentText.text(day: value)
        case .reference(let name): name.description
        case .null, .clock, .elided, .unknown: nil
        }
    }

    /// Reads the text of a value of that kind; nil for any other text.
    package init?(_ kind: ValueKind, text: String) {
        let value: Value? =
            switch kind {
            case .bool: .bool(text == "true")
            case .integer: Int64(text).map { .int($0) }
            case .number: Double(text).map { .double($0) }
            case .text: .text(text)
            case .bytes: Hexadecimal.bytes(text).map { .bytes($0) }
            case .instant, .day: MomentText.value(text)
            case .reference: RecordName(text).map { .reference($0) }
            case .null, .clock, .elided, .unknown: nil
            }
        guard let value, value.kind == kind, value.textForm?.hasSameBytes(as: text) == true else {
            return nil
        }
        self = value
    }
}
