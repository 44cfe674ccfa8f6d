/// The texts of SQLite that the store decides by, as SQLite has no code for what they tell.
///
/// They are another program's words, and change only with its version; all are here. Words of this program
/// never decide anything.
enum SQLiteMessage: String {
    /// The header names a form of tables that SQLite does not know.
    case unsupportedFormat = "unsupported file format"
    /// A table, column or index does not exist; its name follows.
    case missing = "no such "
    /// A column does not exist; its name follows, the table's is before.
    case missingColumn = " has no column named "
    /// A view or trigger cannot be parsed; its name follows.
    case brokenDescription = "error in "
    /// A constraint that a statement names does not exist.
    case missingConstraint = "ON CONFLICT clause "
    /// A line of `integrity_check` is about an index; its name follows.
    case ofIndex = " index "

    /// Whether a text of SQLite begins so.
    func begins(_ text: some StringProtocol) -> Bool { text.hasPrefix(rawValue) }

    /// Whether a text of SQLite has this in it.
    func occurs(in text: some StringProtocol) -> Bool { text.contains(rawValue) }
}
