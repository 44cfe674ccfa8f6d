/// A token of the SQL that describes a table, index or view, as far as two descriptions are compared.
///
/// SQLite keeps the text with which a table was made, and changes it itself when a column is renamed or added: it then
/// quotes names that were bare. Another version of this program may quote, space or capitalise otherwise. A
/// comparison of texts would call such a store damaged, so tokens are compared: white space and comments are none, a
/// quoted name equals a bare one, and letters of names and keywords are compared without case, as SQLite does
/// (https://www.sqlite.org/lang_keywords.html).
enum SQLToken: Hashable {
    /// A keyword, number or name, in small ASCII letters; a quoted name without its quotes.
    case word([UInt8])
    /// A text in single quotes, as it stands there.
    case text([UInt8])
    /// One character of punctuation.
    case sign(UInt8)

    /// The tokens of a text of SQL; what has no end reaches to the end of the text.
    static func tokens(of sql: String) -> [SQLToken] {
        var tokens: [SQLToken] = []
        var rest = Array(sql.utf8)[...]
        while let first = rest.first {
            switch first {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), 12:
                rest.removeFirst()
            case UInt8(ascii: "-") where rest.starts(with: "--".utf8):
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
                dropComment(&rest)
            case UInt8(ascii: "'"):
                tokens.append(.text(quoted(&rest, until: first)))
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                tokens.append(.word(quoted(&rest, until: first).map(lowercased)))
            case UInt8(ascii: "["):
                tokens.append(.word(quoted(&rest, until: UInt8(ascii: "]")).map(lowercased)))
            case _ where isPartOfWord(first):
                let word = rest.prefix(while: isPartOfWord)
                rest.removeFirst(word.count)
                tokens.append(.word(word.map(lowercased)))
            default:
                tokens.append(.sign(first))
                rest.removeFirst()
            }
        }
        return tokens
    }

    private static func dropComment(_ rest: inout ArraySlice<UInt8>) {
        rest.removeFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
    }

    /// Takes a quoted piece from the front; a doubled closing quote stands for one.
    private static func quoted(_ rest: inout ArraySlice<UInt8>, until end: UInt8) -> [UInt8] {
        var piece: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte == end {
                guard rest.first == end, end != UInt8(ascii: "]") else { break }
                rest.removeFirst()
            }
            piece.append(byte)
        }
        return piece
    }

    private static func isPartOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "$"), 128...255:
            true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 32 : byte
    }
}
