/// A place in a text: both count from 1, columns in characters.
package struct Position: Hashable, Sendable {
    /// The line.
    package var line: Int
    /// The column.
    package var column: Int

    /// A place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
