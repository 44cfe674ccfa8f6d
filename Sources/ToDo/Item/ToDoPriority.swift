/// How much a to-do matters; ordered from none to high.
package enum ToDoPriority: Int, Sendable, CaseIterable, Comparable {
    case none
    case low
    case medium
    case high

    /// The word used on the command line and in our own export.
    package var word: String {
        switch self {
        case .none: "none"
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }

    /// Reads a word, its first letter, or the letters of Taskwarrior, in either case.
    package init?(word: String) {
        switch word.lowercased() {
        case "", "none", "n": self = .none
        case "low", "l": self = .low
        case "medium", "med", "m": self = .medium
        case "high", "h": self = .high
        default: return nil
        }
    }

    /// Whether the left one matters less.
    package static func < (left: ToDoPriority, right: ToDoPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
