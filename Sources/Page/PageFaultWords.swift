import Devices
import ToDo

/// Errors of all modules in words: what failed, and what to do.
enum PageFaultWords {
    static func words(_ error: any Error) -> String {
        switch error {
        case let fault as ToDoNameFault: words(fault)
        case let fault as StoreFault: words(fault)
        case let error as ToDoWordsError: "\(error)"
        case let error as DatePhraseError: "\(error)"
        case let fault as FormatFault: "\(fault)"
        case let error as TransportError: "\(error)"
        case let error as PeerError: "\(error.message). \(error.advice)"
        case let fault as PageWordsFault: fault.words
        default: "\(error)"
        }
    }

    private static func words(_ fault: StoreFault) -> String {
        switch fault {
        case .recordDeleted: "The to-do is in the trash."
        case .recordPurged: "The to-do was purged, and nothing is left of it."
        case .busy, .inUse: "Another program writes to the store right now. Try again."
        default: "\(fault)"
        }
    }

    private static func words(_ fault: ToDoNameFault) -> String {
        switch fault {
        case .several(let text, let found, let hasMore):
            "'\(text)' may be one of several: "
                + found.map(\.shownTitle).joined(separator: ", ") + (hasMore ? " and others" : "")
        default: "\(fault)"
        }
    }
}

/// The faults of words that were typed on the page.
enum PageWordsFault: Error {
    case untitled
    case openQuote
    case tooLong
    case inTrash(String)
    case circle
    case plainWords
    case noFormat

    /// The fault in words.
    var words: String {
        switch self {
        case .untitled: "A to-do needs a title."
        case .openQuote: "A quote is left open."
        case .tooLong: "The line is too long; write the rest into the notes."
        case .inTrash(let title): "'\(title)' is in the trash."
        case .noFormat: "Say the format: the name of the file does not tell it."
        case .plainWords: "Words without a key are the title, which has a field of its own."
        case .circle: "A to-do cannot wait for itself or be a part of itself."
        }
    }
}
