/// A row's place in a list: which section, and which row of it.
public struct RowPlace: Hashable, Sendable {
    /// Which section; 0 if the request asks for none.
    public let section: Int
    /// Which row of the section.
    public let row: Int

    /// A place.
    public init(section: Int = 0, row: Int) {
        self.section = section
        self.row = row
    }
}
