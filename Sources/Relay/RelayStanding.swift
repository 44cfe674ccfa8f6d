/// The end of a run.
struct RelayStanding {
    let parcel: RelayParcel
    /// Statements up to this number are told with it.
    let noticesThrough: UInt64
    /// Whether these are all: if not, another one follows.
    let isComplete: Bool
    /// Whether it brings any.
    let hasNotices: Bool
}
