import Records

/// A field of a record, or of the record that a reference leads to.
package struct FieldPath: Hashable, Sendable {
    /// The reference to follow first, if any.
    package let reference: UInt32?
    /// What is looked at.
    package let target: Target

    /// What can be looked at.
    package enum Target: Hashable, Sendable {
        /// A built-in field.
        case field(UInt32)
        /// A custom field.
        case custom(String)
        /// The record's id.
        case id
        /// The arrival number of the record's last change here.
        case sequence
    }

    /// A field of the record itself.
    package static func field(_ number: UInt32) -> FieldPath {
        FieldPath(reference: nil, target: .field(number))
    }

    /// A custom field of the record itself.
    package static func custom(_ name: String) -> FieldPath {
        FieldPath(reference: nil, target: .custom(name.inFormC))
    }

    /// A field of the record that the reference in field `reference` leads to.
    package static func through(_ reference: UInt32, _ number: UInt32) -> FieldPath {
        FieldPath(reference: reference, target: .field(number))
    }

    /// The record's id.
    package static let id = FieldPath(reference: nil, target: .id)
    /// The arrival number of the record's last change here.
    package static let sequence = FieldPath(reference: nil, target: .sequence)

    private init(reference: UInt32?, target: Target) {
        self.reference = reference
        self.target = target
    }
}
