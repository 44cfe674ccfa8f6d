/// What was read of a file.
package struct FormatReading: Sendable {
    /// The good entries, in the file's order.
    package var items: [ToDoItem]
    /// Good entries that the file says were in the trash.
    package var trash: [ToDoItem] = []
    /// Values that stood beside the shown ones, of items and of those in the trash.
    package var besides: [BesideValue] = []
    /// What is wrong with each bad entry; empty in a good file.
    package var faults: [FormatFault]
    /// What the good entries say and our to-dos cannot.
    package var losses: [FormatLoss]
    /// What is kept, but otherwise than the file has it.
    package var remarks: [FormatLoss] = []
    /// The fields that every entry has a place for, in a table: what a place leaves empty is not cleared.
    package var columns: Set<String> = []
    /// The columns of a table that are no known ones, and so became fields of the user's own.
    package var ownColumns: [String] = []
    /// What the columns of a table are called there and here, in its order.
    package var columnNames: [(file: String, here: String)] = []

    /// A file as read.
    package init(
        _ items: [ToDoItem] = [], faults: [FormatFault] = [], losses: [FormatLoss] = []
    ) {
        self.items = items
        self.faults = faults
        self.losses = losses
    }
}
