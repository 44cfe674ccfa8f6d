/// A section of ``LiveResults``: rows that show the same in the attribute by which they are parted.
public struct ResultSection: Hashable, Sendable {
    /// The value that the section's rows share; `.null` if they have none, or if the request asks
    /// for no sections.
    public let value: Value
    /// How many rows it has; never 0, save in the one section of a request without sections.
    public let rowCount: Int
}
