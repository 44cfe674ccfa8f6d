import Core
import Storage

/// Another to-do, in whose title words stand that a person typed behind the name of a to-do.
package struct LongerTitle {
    /// The to-do, which is pending.
    package let record: Record
    /// How many of the words stand in its title: so many from the first one on.
    package let wordCount: Int
}

extension ToDoNaming {
    /// The fewest letters that are taken for the beginning of a word of a title; fewer ones are a word of their own.
    private static let beginningCountMin = 3

    /// Another pending to-do, in whose title a name stands together with the words behind it, as many of them as in no other;
    /// nil if not even the first one does.
    ///
    /// Words that repeat the name say nothing of another to-do.
    package func longerTitle(
        than name: String, by words: [String], besides id: RecordID
    ) throws(ToDoNameFault) -> LongerTitle? {
        let named = name.split(whereSeparator: \.isWhitespace).map { String($0) }
        let more = words.map(Self.bare)
        guard let first = more.first, !first.isEmpty, !named.isEmpty else { return nil }
        let parts = first.split(whereSeparator: \.isWhitespace).map { String($0) }
        let found = try reading { () throws(StoreFault) in
            try todos.stored(titled: named + parts, .pending, limit: Self.titleLookCount)
        }
        let folded = Set(named.map(\.foldedForSearch))
        var longest: LongerTitle?
        for record in found where record.id != id {
            let title = ToDoMapping.item(record).title
            guard named.allSatisfy({ Self.stands($0, in: title) }) else { continue }
            let standing = more.prefix { Self.stands($0, in: title) }
            let isNew = standing.contains { !folded.contains($0.foldedForSearch) }
            if isNew, standing.count > longest?.wordCount ?? 0 {
                longest = LongerTitle(record: record, wordCount: standing.count)
            }
        }
        return longest
    }

    private static func stands(_ word: String, in title: String) -> Bool {
        let phrase = TitleMatch.spaced(word)
        guard !phrase.isEmpty, TitleMatch.has([phrase], in: title) else { return false }
        let least = phrase.count < beginningCountMin ? TitleMatch.whole : .beginning
        return TitleMatch(of: [phrase], in: title) >= least
    }

    /// A word without the signs at its ends, as in `Anna,`.
    private static func bare(_ word: String) -> String {
        let isPart = { (character: Character) in character.isLetter || character.isNumber }
        guard let first = word.firstIndex(where: isPart), let last = word.lastIndex(where: isPart)
        else { return "" }
        return String(word[first...last])
    }
}
