/// How a device holds an item.
package enum ItemState: String, Hashable, Sendable, CaseIterable {
    /// Listed.
    case alive
    /// In the trash.
    case deleted
    /// Only the mark of a purge is left.
    case purged
    /// Not known.
    case missing
}
