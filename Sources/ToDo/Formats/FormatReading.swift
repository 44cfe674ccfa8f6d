/// What was read of a file.
package struct FormatReading: Sendable {
    /// The good entries, in the file's order.
    package var items: [ToDoItem]
    /// What is wrong with each bad entry; empty in a good file.
    package var faults: [FormatFault]
    /// What the good entries say and our to-dos cannot.
    package var losses: [FormatLoss]

    /// A file as read.
    package init(
        _ items: [ToDoItem] = [], faults: [FormatFault] = [], losses: [FormatLoss] = []
    ) {
        self.items = items
        self.faults = faults
        self.losses = losses
    }
}
