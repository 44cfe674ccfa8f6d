/// What a change set does to the number of live records.
struct ArrivalCount {
    /// Records that were alive and are deleted now, less those that came back.
    var deleted = 0
    /// Live records that were not there before.
    var added = 0

    /// Counts a record's new state.
    ///
    /// - Parameter wasDeleted: nil if it was not there.
    mutating func note(wasDeleted: Bool?, isDeleted: Bool) {
        switch (wasDeleted, isDeleted) {
        case (nil, false): added += 1
        case (false, true): deleted += 1
        case (true, false): deleted -= 1
        case (nil, true), (true, true), (false, false): return
        }
    }
}
