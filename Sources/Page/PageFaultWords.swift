import Devices
import ToDo

/// Errors of all modules in words: what failed, and what to do.
enum PageFaultWords {
    static func words(_ error: any Error) -> String {
        switch error {
        case let fault as ToDoNameFault: words(fault)
        case let fault as StoreFault: words(fault)
        case let fault as DeviceFault: words(fault)
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

    private static func words(_ fault: DeviceFault) -> String {
        switch fault {
        case .noEncryption:
            "This program was built without encryption, and an invitation needs it."
        case .noKeys: "This device has no keys yet. An invitation makes them."
        case .unusableKeys: "The keys beside the store cannot be used. The status tells more."
        case .keysElsewhere(let name):
            "The keys of this space are on \(name). Let the new device in from there."
        case .plainSpace: "This space is plain: it has no secret to change."
        case .lastGeneration:
            "The secret of this space has its last generation and cannot be changed, so nobody was removed."
        case .noAddress:
            "Say where the other device can find this one: a relay where both meet, or this device's address."
        case .tooManyAddresses: "An invitation has no room for so many addresses."
        case .noFingerprint(let address):
            "\(address) lacks the fingerprint of the relay. Write the address with its #fingerprint, as the "
                + "relay shows it when it starts."
        case .revoked: "This device was removed from the space."
        case .noSuchDevice(let word): "There is no device '\(word)'."
        case .severalDevices(let word, let found):
            "'\(word)' may be one of several devices: " + found.map(\.name).joined(separator: ", ")
        case .ownDevice: "That is this device. Remove it from another one that stays in the space."
        case .neverPaired(let device):
            "\(device.name) was never let in with a code, so there is no key to take back."
        case .revokedAlready(let device): "\(device.name) was removed already."
        case .failed(let error, _, _, _), .refused(let error, _): words(error)
        case .lost(let peer), .unanswered(let peer):
            "The connection to \(peer) ended before all was exchanged. Try again."
        default: "This device cannot do that now (\(fault)). The status tells more."
        }
    }

    private static func words(_ fault: ToDoNameFault) -> String {
        func titles(_ found: [Record], _ hasMore: Bool) -> String {
            found.map(\.shownTitle).joined(separator: ", ") + (hasMore ? " and others" : "")
        }
        switch fault {
        case .noNumber(let number): return "No to-do has the number \(number)."
        case .incomplete(let word): return "'\(word)' leaves a number out."
        case .empty: return "An empty word names no to-do."
        case .noneInRange(let range, let isOfPending):
            return
                "No \(isOfPending ? "pending " : "")to-do has a number from \(range.lowerBound) to \(range.upperBound)."
        case .tooMany(let range, let max):
            return "\(range.lowerBound)-\(range.upperBound) names more than \(max) to-dos."
        case .notShown(let range, let found, let hasMore):
            return "\(range.lowerBound)-\(range.upperBound) has to-dos that were not shown here: "
                + titles(found.map(\.record), hasMore)
        case .changed(let number, _, _), .gone(let number):
            return "The number \(number) means another to-do now. Look at the list again."
        case .noLatest: return "Nothing was added or changed here yet, so 'last' names no to-do."
        case .nothing(let text): return "No to-do has '\(text)' in its title."
        case .latestOrCount(let number):
            return "'last \(number)' has two meanings. Name one to-do at a time."
        case .several(let text, let found, let hasMore):
            return "'\(text)' may be one of several: \(titles(found, hasMore))"
        case .insideWord(let text, let found, let hasMore):
            return "'\(text)' is only a part of a word in: \(titles(found, hasMore))"
        case .mixed(let mixed):
            let text = mixed.words.joined(separator: " ")
            return "'\(text)' has numbers or ids beside other words, and no title has all of them."
        case .noNumbers: return "To-dos have no numbers here. Name one by words of its title."
        case .unavailable(let fault), .unreadable(let fault): return words(fault)
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
