/// One thing that a sync with a folder did, or could not do.
package struct FolderEvent: Sendable, Equatable {
    /// What was done.
    package enum Kind: String, Sendable {
        /// A to-do was made of a new file.
        case made
        /// A to-do took what another program wrote into its file.
        case updated
        /// A to-do went to the trash, as its file was deleted.
        case deleted
        /// A file was written.
        case written
        /// A file was removed.
        case removed
        /// A file is left alone as something is wrong with it.
        case problem
    }

    /// What was done.
    package var kind: Kind
    /// The file.
    package var name: String
    /// The to-do; nil if it is not known.
    package var identifier: UInt128?
    /// The to-do's title; "" if it is not known.
    package var title: String
    /// The line of the file that is wrong, from 1.
    package var line: Int?
    /// What is wrong.
    package var reason: String?

    init(
        _ kind: Kind, _ name: String, _ item: ToDoItem? = nil, line: Int? = nil,
        reason: String? = nil
    ) {
        self.kind = kind
        self.name = name
        identifier = item?.identifier
        title = item?.title ?? ""
        self.line = line
        self.reason = reason
    }
}
