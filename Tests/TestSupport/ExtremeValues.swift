import Core
import Storage

/// The extremes of every kind of value, and records that have them in every field of a collection.
///
/// A device may write any kind of value into any field, so every field gets every kind.
package enum ExtremeValues {
    /// One value in one field, and a name for a failing test.
    package struct Case: Sendable, CustomStringConvertible {
        /// The field.
        package let field: Field
        /// The value.
        package let value: Value
        /// Both, shortened.
        package var description: String { "\(field): \(String("\(value)".prefix(60)))" }
    }

    /// The ends of 64 bits, of 32 bits and of the digits of one.
    package static let integers: [Int64] = [
        .min, .min + 1, -1, 0, 1, 2, Int64(Int32.max), Int64(Int32.max) + 1, .max - 1, .max,
    ]

    /// The ends of doubles, and the numbers that are none.
    package static let doubles: [Double] = [
        .nan, .infinity, -.infinity, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e300,
    ]

    /// The ends of instants, of years with four digits, and of the hybrid clock.
    package static let instants: [Int64] = [
        .min, .min + 1, -1, 0, .max - 1, .max, -62_167_219_200_001, -62_167_219_200_000,
        253_402_300_799_999, 253_402_300_800_000, HybridTimestamp.millisecondsMax,
        HybridTimestamp.millisecondsMax + 1,
    ]

    /// The ends of days, and of years with four digits.
    package static let days: [Int32] = [
        .min, .min + 1, -1, 0, .max - 1, .max, -719_529, -719_528, 2_932_896, 2_932_897,
    ]

    /// Texts that hide, turn or end a line, that look like other kinds, and that say something in a field of to-dos.
    package static let texts: [String] = [
        "", " ", "\n", "\u{0}", "a\u{1}\u{7}\u{1b}[31m\u{7f}\u{9b}b\r\nc",
        "\u{202e}abc\u{2066}\u{2069}",
        "\u{feff}", "\u{2028}", "completed", "cancelled", "pending", "null", "=1+1", "every day",
        "every 1000 days", "every 1000 months, 100000 times", "every mon, sun after completion",
        "every month until +5881580-07-11", "every year until -5877641-06-24 in Europe/Berlin",
        "every 1000 years", "every 0 days", "every day, 0 times", "every 9223372036854775807 days",
        "every day until +292278994-08-17T07:12:55.807Z in ../../etc/passwd",
        "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z", "9999-12-31",
        "0000-01-01T00:00:00.000Z/9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z/",
        "0000-01-01T00:00:00.000Z/", "2026-11-27T10:00:00.000Z/2026-11-27T09:00:00.000Z",
    ]

    /// Bytes, none and some.
    package static let bytes: [[UInt8]] = [[], [0, 255]]

    /// References to a record itself and to records that are missing.
    package static func references(to own: RecordID) -> [RecordID] {
        [own, RecordID(value: 0), RecordID(value: .max)]
    }

    /// All values of all kinds that a field can hold.
    package static func all(for own: RecordID) -> [Value] {
        var found: [Value] = [.bool(false), .bool(true)]
        found += integers.map { .int($0) }
        found += doubles.map { .double($0) }
        found += instants.map { .instant($0) }
        found += days.map { .day($0) }
        found += texts.map { .text($0) }
        found += bytes.map { .bytes($0) }
        found += references(to: own).map { .toDo($0) }
        // A kind of a newer version, with a number in it.
        return found + [.unknown([0x82, 0x18, 0x63, 0x01])]
    }

    /// The longest text that a value may be.
    package static let longText = String(
        repeating: "long ", count: (RecordLimits.valueByteCountMax - 16) / 5)

    /// Every value in every field of a collection, and in custom fields; every text in every set, and elements that
    /// are no texts or not simply in the set.
    package static func cases(
        _ schema: CollectionSchema, custom names: [String], of own: RecordID
    ) -> [Case] {
        let values = all(for: own)
        var found: [Case] = []
        let numbered = schema.fields.map { Field($0.name) } + [.number(999)]
        for field in numbered + names.map({ .custom($0) }) {
            found += values.map { Case(field: field, value: $0) }
        }
        let sets = schema.fields.filter { $0.kind == .set }.map(\.name)
        for set in sets + [.number(999), .text("effort")] {
            for value in values where value.kind != .clock {
                found.append(Case(field: .element(set, value), value: .bool(true)))
            }
            for value in [Value.bool(false), .int(.max), .text("in"), .double(.nan)] {
                found.append(Case(field: .element(set, .text("odd")), value: value))
            }
        }
        return found
    }
}
