import Core
import Storage

/// Names one record, on every device the same.
///
/// New records get a UUIDv7, which sorts by time. A record that stands for something outside, as a photo
/// of some service, has an id that is derived from its key there, so that two devices that import it
/// independently make one record.
public struct RecordID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: Core.RecordID

    init(_ value: Core.RecordID) {
        self.value = value
    }

    /// The id of the record that a unique key names in a collection.
    public init(key: String, in collection: String) {
        value = Storage.Store.derivedID(.text(collection), key: key)
    }

    /// Reads the form of `description`, or any 32 hexadecimal digits with hyphens; nil for anything else.
    public init?(_ text: String) {
        let digits = text.filter { $0 != "-" }
        guard digits.utf8.count == 32, digits.allSatisfy(\.isHexDigit),
            let number = UInt128(digits, radix: 16)
        else { return nil }
        value = Core.RecordID(value: number)
    }

    /// Thirty-two hexadecimal digits in five groups, as a UUID is written.
    public var description: String { value.uuidText }

    public static func < (left: RecordID, right: RecordID) -> Bool { left.value < right.value }
}
