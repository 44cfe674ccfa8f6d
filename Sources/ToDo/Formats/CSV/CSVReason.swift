/// The code of a remark on a row of a table.
enum CSVReason: FormatReason {
    /// The row has fewer cells than the header.
    case shortRow(line: Int, cellCount: Int, columnCount: Int)
    /// A priority that is none here, kept as a field of the user's own.
    case priorityKept(line: Int, String)

    /// The code as half a sentence, for the user.
    var words: String {
        switch self {
        case .shortRow(let line, let cellCount, let columnCount):
            "line \(line) has \(cellCount) of \(columnCount) cells; the others are read as empty"
        case .priorityKept(let line, let word):
            "'\(FormatLoss.beginning(of: word))' in line \(line) is none of none, low, medium, high; "
                + "it is kept as x.priority"
        }
    }
}
