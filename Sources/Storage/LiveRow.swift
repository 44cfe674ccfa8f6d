import Core

/// A row of a live result with that by which it is sorted.
struct LiveRow {
    let record: StoredRecord
    /// What the fields hold by which the request sorts, the section's first.
    let keys: [RowCodec.Cell]

    /// Whether both show the same, as far as the request looks.
    func isSame(as other: LiveRow) -> Bool {
        record.sequence == other.record.sequence && keys == other.keys
    }
}
