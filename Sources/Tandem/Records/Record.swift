import Core
import Storage

/// A record as it stood when it was fetched.
///
/// Records never change by themselves: fetch again, or keep ``LiveResults``. To save a change, hand it to
/// ``Transaction/update(_:_:)``; what other devices changed in other attributes stays.
public struct Record: Identifiable, Hashable, Sendable {
    let stored: StoredRecord

    init(_ stored: StoredRecord) {
        self.stored = stored
    }

    /// Its id.
    public var id: RecordID { RecordID(stored.id) }

    /// The name of its collection.
    public var collection: String {
        if case .text(let name) = stored.collection { name } else { "" }
    }

    /// Whether it is in the trash.
    public var isDeleted: Bool { stored.verdict.isDeleted }

    /// Whether devices disagree about it; ``Store/conflicts(of:)`` says on what.
    public var hasConflict: Bool {
        stored.verdict.isContested || (!isDeleted && !stored.record.fieldConflicts.isEmpty)
    }

    /// The value of an attribute; `.null` if it has none.
    ///
    /// Attributes that only a newer version of the app knows can be read as well, if their names are known.
    /// A reference is given as it is stored: ``Store/target(of:_:)`` tells whether it leads anywhere.
    public subscript(attribute: String) -> Value {
        let field = FieldName.text(attribute.inFormC)
        if let value = stored[field] { return Value(value) }
        let texts = stored.texts(in: field)
        return texts.isEmpty ? .null : .texts(texts)
    }

    /// The text in an attribute; nil if it holds none.
    public func text(_ attribute: String) -> String? {
        if case .text(let text) = self[attribute] { text } else { nil }
    }

    /// The whole number in an attribute; nil if it holds none.
    public func int(_ attribute: String) -> Int64? {
        if case .int(let number) = self[attribute] { number } else { nil }
    }

    /// The number in an attribute; nil if it holds none.
    public func double(_ attribute: String) -> Double? {
        if case .double(let number) = self[attribute] { number } else { nil }
    }

    /// Yes or no; nil if the attribute holds neither.
    public func bool(_ attribute: String) -> Bool? {
        if case .bool(let flag) = self[attribute] { flag } else { nil }
    }

    /// The bytes in an attribute; nil if it holds none.
    public func bytes(_ attribute: String) -> [UInt8]? {
        if case .bytes(let bytes) = self[attribute] { bytes } else { nil }
    }

    /// The point in time in an attribute, in milliseconds since 1970-01-01 UTC; nil if it holds none.
    public func instant(_ attribute: String) -> Int64? {
        if case .instant(let instant) = self[attribute] { instant } else { nil }
    }

    /// The texts of a set, sorted by bytes.
    public func texts(_ attribute: String) -> [String] {
        stored.texts(in: .text(attribute.inFormC))
    }

    /// The record to which a reference points, whether it is there or not; nil if there is no reference.
    public func reference(_ attribute: String) -> RecordID? {
        if case .reference(let id) = self[attribute] { id } else { nil }
    }

    /// The names of all attributes that have a value, also of those that the schema does not know; sorted.
    public var attributeNames: [String] {
        var names: [String] = []
        for field in stored.record.fields {
            guard case .text(let name) = field.name, names.last != name,
                let value = stored.record.visible(field), !value.isNull
            else { continue }
            names.append(name)
        }
        return Set(names).sorted()
    }
}
