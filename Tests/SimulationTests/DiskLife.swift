import Testing

/// The actions of a device until its disk fails.
enum DiskLife: String, CaseIterable, CustomTestStringConvertible {
    /// Makes a store, edits, meets a peer, closes, opens, edits.
    case ordinary = "an ordinary life"
    /// Opens the copy of another device's store, and takes a new id.
    case copied = "a copy"
    /// Opens a store with more columns than before.
    case upgraded = "an upgrade"
    /// Hears from a peer that its id is in use, and gives its last writes new dots.
    case forked = "a fork"
    /// Writes so much that SQLite folds the log.
    case large = "a long log"
    /// Folds the log itself, as a server does.
    case folding = "folding"
    /// Deletes, restores and purges.
    case trash = "the trash"
    /// Opens after a power cut, and takes a new id.
    case revived = "a revival"

    var testDescription: String { rawValue }
}
