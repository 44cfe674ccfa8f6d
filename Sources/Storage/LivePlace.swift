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
