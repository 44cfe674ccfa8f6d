import Core

/// What must be left of one record's writes at a clock.
struct RecordView {
    /// An assignment that is still there.
    struct Survivor: Hashable {
        /// The write's place in the record's history.
        let entry: Int
        /// The assignment's place in the write.
        let assignment: Int
        /// The write's dot.
        let dot: Dot
    }

    /// The writes that are included.
    var clock = VersionVector()
    /// The assignments that no included write has replaced, by dot and field.
    var survivors: [Survivor] = []
    /// The purges that no included restore has seen.
    var purges: [Int] = []
}
