import Core

/// What is in memory of a letter that a relay keeps.
struct RelayLetter: Hashable, Sendable {
    /// For whom it is, and what tells it from an earlier one.
    var mark: Letter.Mark
    /// The generation of the secret under which it is sealed.
    var generation: UInt32
    /// How long it is, in bytes.
    var byteCount: Int
}
