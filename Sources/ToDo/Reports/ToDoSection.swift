/// A part of a list, with its heading.
package struct ToDoSection<Row: Sendable>: Sendable {
    /// The heading.
    package let title: String
    /// The rows, in order.
    package var rows: [Row]

    /// A part of a list.
    package init(title: String, rows: [Row]) {
        self.title = title
        self.rows = rows
    }
}
