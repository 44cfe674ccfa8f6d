import Core
import Storage

/// A record as an app reads it: by the names of attributes.
///
/// Records never change by themselves: fetch again, or keep ``LiveResults``. To save a change, hand it to
/// ``WriteTransaction/update(_:_:sets:)``; changes of other devices in other attributes stay.
extension Record: Identifiable {
    /// The name of the record's collection.
    public var collectionName: String {
        if case .text(let name) = collection { name } else { "" }
    }

    /// Whether the record is in the trash or purged; ``standing`` tells which.
    public var isDeleted: Bool { verdict.isDeleted }

    /// Whether devices disagree about the record; ``TandemStore/conflicts(of:)`` says on what.
    public var hasConflict: Bool {
        verdict.isContested || verdict.isEditedAfterPurge
            || (!isDeleted && !record.fieldConflicts.isEmpty)
    }

    /// The value of an attribute; `.null` if it has none, or holds a set.
    ///
    /// Attributes that only a newer version of the app knows can be read as well, if their names are known.
    /// A reference is given as it is stored: ``TandemStore/target(of:_:)`` tells whether it leads anywhere.
    public subscript(attribute: String) -> Value {
        record.visible(.custom(attribute)) ?? .null
    }

    /// The texts of a set, sorted by bytes.
    public func texts(_ attribute: String) -> [String] {
        texts(in: .text(attribute.inFormC))
    }

    /// The names of all attributes that have a value, also of those that the schema does not know; sorted.
    public var attributeNames: [String] {
        var names: Set<String> = []
        record.forEachVisible { field, value in
            if case .text(let name) = field.name, !value.isNull { names.insert(name) }
        }
        return names.sorted()
    }
}

extension RecordName {
    /// The name of the record that a unique key names in a collection.
    ///
    /// Two devices that import the same thing independently, as a photo of some service, make one record.
    public init(key: String, in collection: String) {
        self.init(.text(collection), RecordID(key: key, in: collection))
    }
}

extension RecordID {
    /// The id of the record that a unique key names in a collection.
    ///
    /// Two devices that import the same thing independently, as a photo of some service, make one record.
    public init(key: String, in collection: String) {
        self = Store.derivedID(.text(collection), key: key)
    }
}

/// Literals of texts, numbers, `true`, `false` and `nil` are values.
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
