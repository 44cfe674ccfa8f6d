/// A word that was taken as text and may have been meant otherwise; for a note, as nothing is guessed.
package enum ToDoWordDoubt: Sendable, Hashable {
    /// It has the form of a key and a value, and there is no such key.
    case unknownKey(String, word: String)
    /// They are keys with their values, or tags, and stand within quotes.
    case quoted(words: [String])
    /// It is a time of day, and stands behind a date that has none.
    case timeBehind(key: String, value: String, time: String)
    /// It has nothing behind its colon, where a to-do is new, and a plain word follows.
    case emptyKey(String, next: String)
    /// It begins as a tag does, and cannot be one.
    case unreadTag(String)

    /// What stands before a colon in addresses and numbers of all kinds, and is no key to anybody.
    private static let schemes: Set<String> = [
        "arxiv", "bitcoin", "cid", "data", "doi", "file", "ftp", "geo", "git", "http", "https",
        "irc", "isbn",
        "issn", "magnet", "mailto", "matrix", "message", "news", "re", "sip", "sms", "ssh", "tel",
        "urn", "xmpp",
    ]

    /// The most words that are shown.
    private static let wordCountMax = 5

    /// What of an argument that is text may have been meant otherwise.
    static func all(in text: String) -> [ToDoWordDoubt] {
        let words = text.split(whereSeparator: \.isWhitespace).map { String($0) }
        if words.count == 1, words[0] == text {
            if TagWord.isNearly(text) { return [.unreadTag(text)] }
            guard let key = KeyedWord.unknownKey(in: text), key.utf8.count > 1,
                key == key.lowercased(), !schemes.contains(key)
            else { return [] }
            return [.unknownKey(key, word: text)]
        }
        let meant = words.filter { word in
            if let tag = TagWord(word) { return tag.isPlus }
            guard let keyed = try? KeyedWord(word) else { return false }
            return !keyed.value.isEmpty
        }
        return meant.isEmpty ? [] : [.quoted(words: meant)]
    }
}

extension ToDoWordDoubt: CustomStringConvertible {
    /// What was done with it, and how to write what may have been meant.
    package var description: String {
        switch self {
        case .unknownKey(let key, let word):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title, as there is no '\(FormatLoss.beginning(of: key)):'; a field of your own is "
                + "x.\(FormatLoss.beginning(of: word))"
        case .timeBehind(let key, let value, let time):
            return
                "'\(FormatLoss.beginning(of: time))' is in the title; for a time of day: \(key):\"\(value) \(FormatLoss.beginning(of: time))\""
        case .emptyKey(let key, let next):
            let next = FormatLoss.beginning(of: next)
            return
                "'\(key):' has nothing behind it and sets nothing, '\(next)' is in the title; "
                + "without a blank between them: \(key):\(next)"
        case .unreadTag(let word):
            return
                "'\(FormatLoss.beginning(of: word))' is in the title, as no tag has a colon, a blank or "
                + "a comma at an end; two tags are +one,two"
        case .quoted(let words):
            let shown = words.prefix(Self.wordCountMax).map { "'\(FormatLoss.beginning(of: $0))'" }
            let more = words.count > shown.count ? " and more" : ""
            let (verb, pronoun, counts) =
                words.count == 1
                ? ("is", "it stands", "it counts") : ("are", "they stand", "they count")
            return
                "\(shown.joined(separator: ", "))\(more) \(verb) in the title, as \(pronoun) within quotes; "
                + "outside of them \(counts)"
        }
    }
}
