import Storage

/// One step from the rows that a list shows to the rows it has to show.
///
/// The steps of a batch are applied in order, each to what the one before it left.
public enum LiveChange: Hashable, Sendable {
    /// The row at this place goes.
    case deleteRow(at: RowPlace)
    /// A row comes, and is at this place then.
    case insertRow(Record, at: RowPlace)
    /// The row at the first place is taken out and put in, so that it is at the second place then.
    case moveRow(from: RowPlace, to: RowPlace)
    /// The row at this place stays there and shows something else.
    case updateRow(Record, at: RowPlace)
    /// A section without rows comes, and is at this place then; its rows follow.
    case insertSection(Value, at: Int)
    /// The section at this place goes; it has no rows any more.
    case deleteSection(at: Int)

    init(_ change: Storage.LiveChange) {
        func place(_ place: LivePlace) -> RowPlace {
            RowPlace(section: place.section, row: place.row)
        }
        self =
            switch change {
            case .deleteRow(let at): .deleteRow(at: place(at))
            case .insertRow(let record, let at): .insertRow(Record(record), at: place(at))
            case .moveRow(let from, let to): .moveRow(from: place(from), to: place(to))
            case .updateRow(let record, let at): .updateRow(Record(record), at: place(at))
            case .insertSection(let value, let at): .insertSection(Value(value), at: at)
            case .deleteSection(let at): .deleteSection(at: at)
            }
    }
}
