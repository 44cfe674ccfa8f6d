/// The readable share of a damaged store, and what becomes of it.
public struct RescueReport: Hashable, Sendable {
    /// The damage.
    package var findings: [SalvageFinding] = []
    /// Whether every record is there and fits: what is damaged can be made anew.
    public package(set) var isWhole = false
    /// Whether the store goes on under its own replica id.
    package var keepsIdentity = false
    /// How many records can be read, deleted ones among them.
    public package(set) var readCount = 0
    /// How many of these are newer than in the snapshot, or not in it.
    package var newCount = 0
    /// How many records were there and cannot be read.
    public package(set) var lostCount = 0
    /// Whether there can be no more of these.
    public package(set) var isLostCountExact = true
    /// How many of those that can be read are known to be as they were before a later change.
    package var outdatedCount = 0
    /// Of how many of those that can be read nobody knows whether there was a later change.
    package var uncertainCount = 0
    /// Whether every record can be read, and what some of them say is not what the store had taken note of.
    package var isAltered = false
    /// Whether what the store had taken note of cannot be read, so that nothing tells of changed contents.
    package var isUnchecked = false
    /// How many of those that cannot be read come back as the snapshot has them.
    package var olderCount = 0
    /// The snapshot that the store goes on from; nil if no whole one is there, or none is needed.
    package var snapshot: Store.Snapshot?
    /// Whether the space's rule could not be read, and was guessed.
    package var isPolicyGuessed = false
    /// The folder with the damaged files; nil if nothing was changed.
    public package(set) var aside: String?
}

/// A sign of damage in the pages of a database.
package enum SalvageFinding: Hashable, Sendable, CustomStringConvertible {
    /// The unreadable share of a table or index.
    package struct Tree: Hashable, Sendable {
        /// The name of the table or index.
        package let name: String
        /// Whether it is an index.
        package let isIndex: Bool
        /// How many of its pages cannot be read.
        package let pageCount: Int
        /// How many of its rows cannot be read, on pages that can.
        package let rowCount: Int
    }

    /// The file does not begin as a database.
    case header
    /// A table or index cannot be read whole.
    case unreadable(Tree)

    /// The code of the finding, for programs.
    package var code: String {
        switch self {
        case .header: "header"
        case .unreadable(let tree): tree.isIndex ? "unreadable-index" : "unreadable-table"
        }
    }

    /// The finding in words.
    package var description: String {
        switch self {
        case .header: return "the file does not begin as a database"
        case .unreadable(let tree):
            let kind = tree.isIndex ? "the index" : "the table"
            let parts = [(tree.pageCount, "page"), (tree.rowCount, "row")]
            let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            return "\(kind) \(tree.name): \(words.joined(separator: " and ")) cannot be read"
        }
    }
}
