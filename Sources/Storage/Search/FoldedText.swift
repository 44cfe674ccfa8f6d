import CSQLite
import Core

extension String {
    /// Whether the text contains a part, as searches compare them.
    ///
    /// - Parameter part: one that is `foldedForSearch`.
    package func contains(folded part: String) -> Bool {
        var (text, part) = (foldedForSearch, part)
        return text.withUTF8 { text in part.withUTF8 { FoldedText.occurs($0, in: text) } }
    }
}

/// The bytes of a text that SQL gives to a function, for the time of the call.
private struct FoldedText {
    private let bytes: UnsafeBufferPointer<UInt8>

    /// Nil for an absent text.
    init?(_ value: OpaquePointer?) {
        guard let start = sqlite3_value_text(value) else { return nil }
        bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private var isASCII: Bool { bytes.reduce(0, |) < 0x80 }

    /// Whether the text, once folded, contains one that is folded already.
    ///
    /// Most texts are of ASCII: these are read where they stand, as a search may read all that there are.
    func contains(folded part: FoldedText) -> Bool {
        if isASCII { return Self.occurs(part.bytes, in: bytes) }
        var folded = String(decoding: bytes, as: UTF8.self).foldedForSearch
        return folded.withUTF8 { Self.occurs(part.bytes, in: $0) }
    }

    /// Adds the parts of the text's words.
    func appendGrams(to grams: inout [UInt8]) {
        if isASCII { return SearchGrams.append(bytes, to: &grams) }
        var folded = String(decoding: bytes, as: UTF8.self).foldedForSearch
        folded.withUTF8 { SearchGrams.append($0, to: &grams) }
    }

    static func occurs(
        _ part: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let first = part.first else { return true }
        var start = 0
        while start + part.count <= text.count {
            if lowered(text[start]) == first {
                var count = 1
                while count < part.count, lowered(text[start + count]) == part[count] { count += 1 }
                if count == part.count { return true }
            }
            start += 1
        }
        return false
    }

    /// A letter of ASCII in lower case, any other byte as it is.
    static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}

/// Parts of words: whatever is searched, the texts that have it have all of its parts.
///
/// A word is made of letters and digits of ASCII and of everything beyond ASCII. Of each word the index has the three
/// characters from each of its characters on, fewer at the end: so a part of three or more characters is found by
/// these themselves, a shorter one as the beginning of one of them, in writings without spaces as well. No text can be
/// read from that: nothing longer than three characters is kept.
enum SearchGrams {
    /// The number of the rules by which texts are folded and parted; with another one every index is made anew by the
    /// next search.
    static let rules = 1
    /// The most characters of a part.
    static let characterCount = 3
    /// The most parts by which one text is looked up; more of them would hardly choose fewer texts.
    static let termCountMax = 16

    /// Adds the parts of a text's words, with a space behind each.
    ///
    /// - Parameter text: a folded one, or one of ASCII.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to grams: inout [UInt8]) {
        var start = 0
        while start < text.count {
            guard isOfWord(text[start]) else {
                start += 1
                continue
            }
            var (end, count) = (start, 0)
            while end < text.count, count < characterCount, isOfWord(text[end]) {
                let next = min(end + byteCount(text[end]), text.count)
                while end < next {
                    grams.append(FoldedText.lowered(text[end]))
                    end += 1
                }
                count += 1
            }
            grams.append(UInt8(ascii: " "))
            start += byteCount(text[start])
        }
    }

    /// The parts that every text has which contains this one, as terms of FTS5; none if hardly any text lacks them.
    ///
    /// Source: sqlite.org/fts5.html, section 3.
    static func terms(ofFolded text: String) -> [String] {
        var terms: [String] = []
        func add(_ term: String) { if !terms.contains(term) { terms.append(term) } }
        let words = text.unicodeScalars.split { $0.isASCII && !isOfWord(UInt8($0.value)) }
        for word in words {
            let scalars = Array(word)
            if scalars.count >= characterCount {
                for start in 0...scalars.count - characterCount {
                    add(quoted(scalars[start..<start + characterCount]))
                }
            } else if scalars.count > 1 || !scalars[0].isASCII {
                add(quoted(scalars[...]) + "*")
            }
        }
        return Array(terms.prefix(termCountMax))
    }

    private static func quoted(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = "\""
        text.unicodeScalars.append(contentsOf: scalars)
        return text + "\""
    }

    /// Whether a byte belongs to a word, as FTS5's tokenizer `ascii` sees it.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte &- UInt8(ascii: "0") < 10
            || FoldedText.lowered(byte) &- UInt8(ascii: "a") < 26
    }

    /// The number of bytes of the character that begins so.
    private static func byteCount(_ first: UInt8) -> Int {
        first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    }
}

/// The functions of SQL that searches and their index call.
enum SearchFunctions {
    /// Whether a text contains a folded one: `tandem_contains(text, part)`.
    static let contains = "tandem_contains"
    /// The parts of the words of texts: `tandem_grams(text, …)`.
    static let grams = "tandem_grams"

    /// Gives them to a connection.
    static func add(to handle: OpaquePointer?) {
        // Innocuous: triggers call them, which SQLite may be told not to trust.
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        sqlite3_create_function_v2(
            handle, contains, 2, flags, nil,
            { context, _, values in
                guard let values, let text = FoldedText(values[0]), let part = FoldedText(values[1])
                else { return sqlite3_result_null(context) }
                sqlite3_result_int(context, text.contains(folded: part) ? 1 : 0)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            handle, grams, -1, flags, nil,
            { context, count, values in
                guard let values else { return sqlite3_result_null(context) }
                var grams: [UInt8] = []
                for number in 0..<Int(count) {
                    FoldedText(values[number])?.appendGrams(to: &grams)
                }
                grams.withUnsafeBytes { bytes in
                    sqlite3_result_text64(
                        context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                        UInt64(bytes.count), tandem_sqlite_transient(), UInt8(SQLITE_UTF8))
                }
            }, nil, nil, nil)
    }
}
