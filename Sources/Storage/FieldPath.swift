import Core

/// A field of a record, or of the record that references lead to.
package struct FieldPath: Hashable, Sendable {
    /// The references to follow first, one after the other.
    package let references: [FieldName]
    /// What is looked at.
    package let target: Target

    /// What can be looked at.
    package indirect enum Target: Hashable, Sendable {
        /// A field, with a column or without.
        case field(FieldName)
        /// The record's id.
        case id
        /// The arrival number of the record's last change here.
        case sequence
        /// How many records refer to it.
        case count(Related)
        /// The greatest value that a field has in the records that refer to it.
        case greatest(FieldName, Related)
        /// The smallest value that a field has in the records that refer to it.
        case least(FieldName, Related)
    }

    /// Something of the record to which references lead; of the record itself if there are none.
    package init(through references: [FieldName] = [], target: Target) {
        self.references = references
        self.target = target
    }

    /// A built-in field of the record itself.
    package static func field(_ number: UInt32) -> FieldPath {
        FieldPath(target: .field(.number(number)))
    }

    /// A field with a name of the record itself.
    package static func custom(_ name: String) -> FieldPath {
        FieldPath(target: .field(.text(name.inFormC)))
    }

    /// A field of the record that the reference in field `reference` leads to.
    package static func through(_ reference: UInt32, _ number: UInt32) -> FieldPath {
        FieldPath(through: [.number(reference)], target: .field(.number(number)))
    }

    /// The record's id.
    package static let id = FieldPath(target: .id)
    /// The arrival number of the record's last change here.
    package static let sequence = FieldPath(target: .sequence)
}
