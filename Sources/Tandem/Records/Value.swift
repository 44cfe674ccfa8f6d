import Core

/// The value of an attribute.
///
/// Literals of texts, numbers, `true`, `false` and `nil` are values.
public enum Value: Hashable, Sendable {
    /// Nothing: the attribute was never set, or was cleared.
    case null
    /// Yes or no.
    case bool(Bool)
    /// A whole number.
    case int(Int64)
    /// A floating-point number.
    case double(Double)
    /// Text, kept byte for byte; at most 256 KiB.
    case text(String)
    /// Bytes; at most 256 KiB.
    case bytes([UInt8])
    /// A point in time: milliseconds since 1970-01-01 UTC.
    case instant(Int64)
    /// A date without a time zone: days since 1970-01-01.
    case day(Int32)
    /// Another record.
    case reference(RecordID)
    /// A set of texts, sorted by bytes.
    case texts([String])
    /// A kind of value from a newer version of Tandem: kept and passed on, and never written here.
    case other
}

extension Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral text: String) { self = .text(text) }
    /// A whole number.
    public init(integerLiteral number: Int64) { self = .int(number) }
    /// A floating-point number.
    public init(floatLiteral number: Double) { self = .double(number) }
    /// Yes or no.
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }
    /// Nothing.
    public init(nilLiteral: ()) { self = .null }
}

extension Value {
    /// A value from the engine.
    init(_ value: Core.Value?) {
        switch value {
        case nil, .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .instant(let instant): self = .instant(instant)
        case .day(let day): self = .day(day)
        case .reference(let id): self = .reference(RecordID(id))
        case .clock, .elided, .unknown: self = .other
        }
    }

    /// The value for the engine; nil for those that no single field holds.
    var plain: Core.Value? {
        switch self {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        case .instant(let instant): .instant(instant)
        case .day(let day): .day(day)
        case .reference(let id): .reference(id.value)
        case .texts, .other: nil
        }
    }
}
