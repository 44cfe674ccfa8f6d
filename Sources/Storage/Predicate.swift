import Core

/// Which records a fetch is about.
package indirect enum Predicate: Hashable, Sendable {
    /// How a field is compared.
    package enum Comparison: String, Hashable, Sendable {
        /// The same value.
        case equal = "="
        /// Another value.
        case notEqual = "<>"
        /// A smaller value.
        case less = "<"
        /// A smaller value or the same.
        case lessOrEqual = "<="
        /// A greater value.
        case greater = ">"
        /// A greater value or the same.
        case greaterOrEqual = ">="
    }

    /// Every record.
    case all
    /// The field has a value that compares so; a field without a value does not, save for `notEqual`.
    case compare(FieldPath, Comparison, Value)
    /// The field has no value.
    case absent(FieldPath)
    /// The text in the field contains the given one, whatever the case of letters.
    case contains(FieldPath, String)
    /// The text in the field begins with the given one, byte for byte.
    case hasPrefix(FieldPath, String)
    /// The set in the field has the text as an element.
    case hasElement(FieldPath, String)
    /// The record's id begins with these hexadecimal digits.
    case idPrefix(String)
    /// The record is one of these.
    case oneOf([RecordID])
    /// All of these hold.
    case and([Predicate])
    /// One of these holds.
    case or([Predicate])
    /// This does not hold.
    case not(Predicate)
    /// One of the records that refer to this one is as described.
    case any(Related)

    /// The set in the field has the text as an element.
    package static func has(_ number: UInt32, _ text: String) -> Predicate {
        .hasElement(.field(number), text)
    }

    /// The fields that are looked at, also inside of descriptions of related records.
    var paths: [FieldPath] {
        switch self {
        case .compare(let path, _, _), .absent(let path), .contains(let path, _),
            .hasPrefix(let path, _), .hasElement(let path, _):
            [path]
        case .and(let parts), .or(let parts): parts.flatMap(\.paths)
        case .not(let part): part.paths
        case .any(let related): [FieldPath(target: .count(related))]
        case .all, .idPrefix, .oneOf: []
        }
    }
}
