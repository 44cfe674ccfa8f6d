import Core

/// The values that the fields of one record have shown, read from the journal once for all of them.
struct FieldHistory {
    private let name: RecordName
    private var entries: [Field: [JournalEntry]]?

    init(of name: RecordName) { self.name = name }

    /// The entries of changes that were shown in a field, the latest first.
    mutating func entries(
        of field: Field, in journal: Journal
    ) throws(StoreFault) -> [JournalEntry] {
        if let entries { return entries[field] ?? [] }
        let found = Dictionary(
            grouping: try journal.entries(of: name).filter(\.kind.changesShown), by: \.field)
        entries = found
        return found[field] ?? []
    }
}
