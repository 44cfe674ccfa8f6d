import Core

/// A section of a live result: rows that show the same in the field by which they are parted.
package struct LiveSection: Hashable, Sendable {
    /// What they show there; nil if it is absent, and in the one section of a request without sections.
    package let value: Value?
    /// How many rows it has.
    package internal(set) var rowCount: Int
    /// The value as the column has it.
    let cell: RowCodec.Cell
}
