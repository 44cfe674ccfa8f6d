import Core

/// One step from the old rows of a live result to the new ones; steps are applied in order, each to what
/// the one before it left.
package enum LiveChange: Hashable, Sendable {
    /// The row at this place goes.
    case deleteRow(at: LivePlace)
    /// A row comes, and is at this place then.
    case insertRow(StoredRecord, at: LivePlace)
    /// The row at the first place is taken out and put in, so that it is at the second place then.
    case moveRow(from: LivePlace, to: LivePlace)
    /// The row at this place stays there and shows something else.
    case updateRow(StoredRecord, at: LivePlace)
    /// A section without rows comes, and is at this place then; rows follow.
    case insertSection(Value?, at: Int)
    /// The section at this place goes; it has no rows any more.
    case deleteSection(at: Int)
}

/// A row's place in a live result.
package struct LivePlace: Hashable, Sendable {
    /// Which section; 0 if the request asks for none.
    package var section: Int
    /// Which row of the section.
    package var row: Int

    /// A place.
    package init(section: Int = 0, row: Int) {
        self.section = section
        self.row = row
    }
}

/// A section of a live result: rows that show the same in the field by which they are parted.
package struct LiveSection: Hashable, Sendable {
    /// The value that they show there; nil if it is absent, and in the one section of a request without sections.
    package let value: Value?
    /// How many rows it has.
    package internal(set) var rowCount: Int
    /// The value as the column has it.
    let cell: RowCodec.Cell
}
