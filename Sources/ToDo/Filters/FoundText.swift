import Core
import Storage

/// The place of a searched text in another one, with what is around it.
package struct FoundText: Hashable, Sendable {
    /// The text in front.
    package var before: String
    /// The searched text, as it stands there.
    package var found: String
    /// The text behind.
    package var after: String

    /// The most characters of an excerpt for programs.
    package static let characterCountMax = 80

    /// Finds the first place in a text where one of others stands; nil if none does.
    ///
    /// Any white space counts as one space there, so that the excerpt is one line.
    package init?(of texts: [String], in text: String) {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let range = FoldedLetters(line).range(of: FoldedLetters.parts(texts), from: 0)
        else { return nil }
        (before, found, after) = (
            String(line[..<range.lowerBound]), String(line[range]),
            String(line[range.upperBound...])
        )
    }

    /// Cuts what is around the searched text until all of it has room.
    ///
    /// - Parameters:
    ///   - room: the most that is left.
    ///   - width: the room that a text takes.
    package func cut(to room: Int, width: (String) -> Int) -> FoundText {
        var result = self
        let rest = room - width(found)
        guard rest > 1 else { return FoundText(before: "", found: found, after: "") }
        let headRoom = max(rest / 3, rest - width(after))
        if width(before) > headRoom {
            let head = String(
                Self.beginning(of: before.reversed(), room: headRoom - 1, width).reversed())
            // From the beginning of a word on, if there is one.
            let start = head.firstIndex(of: " ").map(head.index(after:)) ?? head.startIndex
            result.before = "…" + head[start...]
        }
        let tailRoom = rest - width(result.before)
        if width(after) > tailRoom {
            var kept = Self.beginning(of: after, room: tailRoom - 1, width)
            while kept.last == " " { kept.removeLast() }
            result.after = String(kept) + "…"
        }
        return result
    }

    /// The first characters, as many as have room.
    private static func beginning(
        of text: some Sequence<Character>, room: Int, _ width: (String) -> Int
    ) -> [Character] {
        var used = 0
        return Array(
            text.prefix { character in
                used += width(String(character))
                return used <= room
            })
    }

    private init(before: String, found: String, after: String) {
        (self.before, self.found, self.after) = (before, found, after)
    }

    /// All of a text in parts: where one of the searched texts stands, and what is between.
    package static func parts(
        of text: String, holding texts: [String]
    ) -> [(text: String, isFound: Bool)] {
        let letters = FoldedLetters(text)
        let folded = FoldedLetters.parts(texts)
        var parts: [(text: String, isFound: Bool)] = []
        var (start, byte) = (text.startIndex, 0)
        while let range = letters.range(of: folded, from: byte) {
            if start < range.lowerBound {
                parts.append((String(text[start..<range.lowerBound]), false))
            }
            parts.append((String(text[range]), true))
            (start, byte) = (range.upperBound, letters.byte(at: range.upperBound))
        }
        if start < text.endIndex { parts.append((String(text[start...]), false)) }
        return parts
    }

    /// The excerpt in one text.
    package var text: String { before + found + after }
}

extension ToDoFilter {
    /// The texts that a filter looks for in titles and notes; what is not to be there is none of them.
    package var searchedTexts: [String] {
        var texts: [String] = []
        func add(_ condition: Condition) {
            switch condition {
            case .text(let text), .titleContains(let text), .notesContain(let text):
                if !text.isEmpty, !texts.contains(text) { texts.append(text) }
            case .all(let parts), .any(let parts): parts.forEach(add)
            default: break
            }
        }
        conditions.forEach(add)
        return texts
    }
}

/// A text as searches compare it, and which of its characters each byte of that came from.
private struct FoldedLetters {
    private let text: String
    private var bytes: [UInt8] = []
    /// Behind each character: how many bytes come before, and where the next character begins; empty for a text
    /// of ASCII, where each byte is a character.
    private var ends: [(byte: Int, index: String.Index)] = []

    init(_ text: String) {
        self.text = text
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            bytes = Array(text.lowercased().utf8)
            return
        }
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            bytes += String(text[index..<next]).foldedForSearch.utf8
            ends.append((bytes.count, next))
            index = next
        }
    }

    /// The bytes of texts to look for; an empty one is nowhere.
    static func parts(_ texts: [String]) -> [[UInt8]] {
        texts.map { Array($0.foldedForSearch.utf8) }.filter { !$0.isEmpty }
    }

    /// The first place, from a byte on, where one of several folded texts stands, in whole characters; of several
    /// texts at one place the longest.
    func range(of parts: [[UInt8]], from first: Int) -> Range<String.Index>? {
        for start in bytes.indices.dropFirst(first) {
            let count = parts.filter { bytes[start...].starts(with: $0) }.map(\.count).max()
            if let count { return index(of: start)..<index(behind: start + count) }
        }
        return nil
    }

    /// The number of bytes before the character that begins at an index.
    func byte(at index: String.Index) -> Int {
        if ends.isEmpty { return text.utf8.distance(from: text.startIndex, to: index) }
        let count = endCount { $0.index <= index }
        return count == 0 ? 0 : ends[count - 1].byte
    }

    /// Where the character begins to which a byte belongs.
    private func index(of byte: Int) -> String.Index {
        if ends.isEmpty { return text.utf8.index(text.startIndex, offsetBy: byte) }
        let count = endCount { $0.byte <= byte }
        return count == 0 ? text.startIndex : ends[count - 1].index
    }

    /// Where the character ends to which the byte before belongs.
    private func index(behind byte: Int) -> String.Index {
        if ends.isEmpty { return text.utf8.index(text.startIndex, offsetBy: byte) }
        let count = endCount { $0.byte < byte }
        return count == ends.count ? text.endIndex : ends[count].index
    }

    /// How many of the first ends are so, found by halving: those that are come first.
    private func endCount(_ isSo: ((byte: Int, index: String.Index)) -> Bool) -> Int {
        var (low, high) = (0, ends.count)
        while low < high {
            let middle = (low + high) / 2
            if isSo(ends[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
