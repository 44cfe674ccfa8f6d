import Session
import Storage
import Wire

/// When this device was last not let in, and why: kept on this device alone, as whoever is refused hears of
/// nothing else that it could be told by.
package struct RefusalNote: Sendable, Equatable {
    /// By the wall clock; milliseconds since 1970-01-01 UTC.
    package let time: Int64
    /// Who refused it.
    package let address: String
    /// Why, in the words of who refused it.
    package let message: String
    /// What to do next, in the same words.
    package let advice: String

    private static let drawer = "refusal"
    private static let name = "last"
    /// The same refusal is not written down again so soon; milliseconds.
    private static let repeatMilliseconds: Int64 = 60_000

    /// The last one; nil if there was none.
    package static func last(in store: Store) throws(StoreFault) -> RefusalNote? {
        guard let bytes = try store.memos(in: drawer)[name] else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, let time = Int64(lines[0]) else { return nil }
        return RefusalNote(
            time: time, address: String(lines[1]), message: String(lines[2]),
            advice: String(lines[3]))
    }

    /// Forgets it.
    static func drop(in store: Store) throws(StoreFault) {
        if try last(in: store) == nil { return }
        try store.edit { transaction throws(StoreFault) in
            try transaction.setMemo(nil, named: name, in: drawer)
        }
    }

    /// Notes how a session ended, if this device was not let in.
    static func keep(_ end: SessionEnd, at address: String, in store: Store) throws(StoreFault) {
        guard case .failed(let error, .ours) = end, error.known == .refused else { return }
        let note = RefusalNote(
            time: SystemWorld.wallMilliseconds(), address: address,
            message: String(error.message.map { $0.isNewline ? " " : $0 }), advice: error.advice)
        if let last = try last(in: store), note.time - last.time < repeatMilliseconds,
            last.time <= note.time, last.address == address, last.message == note.message
        {
            return
        }
        let text = "\(note.time)\n\(note.address)\n\(note.message)\n\(note.advice)"
        try store.edit { transaction throws(StoreFault) in
            try transaction.setMemo(Array(text.utf8), named: name, in: drawer)
        }
    }
}
