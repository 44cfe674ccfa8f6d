/// The lines of an input that `add` makes to-dos of, and the words beside the one that stands for them.
///
/// `- project:Home +errand` gives the project and the tag to the to-do of every line.
package enum ToDoLines {
    /// The word that stands for the lines.
    package static let mark = "-"

    /// The meaning of words that have the mark among them.
    package enum Meaning {
        /// The to-dos are those of the lines, each with these words.
        case lines(with: [String])
        /// The mark is a part of the title.
        case title
        /// It stands at an end of this title, and may be meant for either.
        case unclear(title: String)
    }

    /// Whether the mark is a word of its own that no separator makes a text.
    package static func mayBeAsked(by words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains(mark)
    }

    /// The meaning of words, one of which is the mark.
    ///
    /// - Parameter read: what the words say.
    package static func meaning(of words: [String], _ read: ToDoWords) -> Meaning {
        guard let title = read.title else { return .title }
        if title == mark {
            let index = words.firstIndex(of: mark)
            return .lines(with: words.indices.filter { $0 != index }.map { words[$0] })
        }
        // Read as a title, it would leave the lines of an input unread.
        return title.hasPrefix(mark + " ") || title.hasSuffix(" " + mark)
            ? .unclear(title: title) : .title
    }

    /// The words of a line, with others as if they were typed behind it; a separator makes texts of those behind it alone.
    package static func words(_ line: [String], with others: [String]) -> [String] {
        let end = line.firstIndex(of: "--") ?? line.endIndex
        return Array(line[..<end] + others + line[end...])
    }
}
