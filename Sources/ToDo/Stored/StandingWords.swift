import Core
import Storage

/// Whether a to-do is in the trash or purged, in words: all that show to-dos take them from here.
extension RecordStanding {
    /// The code in JSON.
    package var word: String {
        switch self {
        case .live: "live"
        case .trashed: "trashed"
        case .purged: "purged"
        case .editedAfterPurge: "editedAfterPurge"
        }
    }

    /// The end of a sentence about a to-do.
    package var predicate: String {
        switch self {
        case .live: "is alive"
        case .trashed: "is in the trash"
        case .purged: "was purged; nothing is left of it"
        case .editedAfterPurge: "was purged while another device edited it; these edits are kept"
        }
    }
}
