/// Takes a line to pieces.
///
/// It goes by Unicode scalars: a mark that follows a quote would be one character with it.
struct ScenarioLexer {
    private let scalars: [Unicode.Scalar]
    private var offset = 0

    private init(_ scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    /// The pieces of the line up to its comment.
    static func tokens(of scalars: [Unicode.Scalar]) throws(ParseError) -> [ScenarioToken] {
        var lexer = ScenarioLexer(scalars)
        var tokens: [ScenarioToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        return tokens
    }

    private var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    private var following: Unicode.Scalar? {
        offset + 1 < scalars.count ? scalars[offset + 1] : nil
    }

    private mutating func next() throws(ParseError) -> ScenarioToken? {
        while let scalar = current, " \t\r".unicodeScalars.contains(scalar) { offset += 1 }
        guard let scalar = current, scalar != "#" else { return nil }
        let start = offset
        let kind: ScenarioToken.Kind
        switch scalar {
        case "\"": kind = .text(try text())
        case _ where ScenarioText.beginsName(scalar): kind = .word(run())
        case _ where ScenarioText.isDigit(scalar): kind = .figure(run())
        case "-" where following.map(ScenarioText.isDigit) ?? false: kind = .figure(run())
        case "+", "-", ",", ":", "@":
            offset += 1
            kind = .symbol(scalar)
        default: throw strange(scalar)
        }
        return ScenarioToken(kind: kind, range: start..<offset)
    }

    /// The scalars from here that a name consists of.
    private mutating func run() -> String {
        var run = String.UnicodeScalarView()
        while let scalar = current, ScenarioText.continuesName(scalar) {
            run.append(scalar)
            offset += 1
        }
        return String(run)
    }

    private func strange(_ scalar: Unicode.Scalar) -> ParseError {
        let range = offset..<offset + 1
        let shown = "`\(Character(scalar))`"
        switch scalar {
        case "“", "”", "„", "«", "»", "'", "‘", "’", "`":
            return ParseError(
                range, "\(shown) is no quote here", hint: "write texts as \"Oat milk\"")
        case "." where offset > 0 && ScenarioText.isDigit(scalars[offset - 1]):
            return ParseError(
                range, "numbers are whole",
                hint: "take a smaller unit: `90 minutes`, not `1.5 hours`")
        case ".", ";", "!", "?":
            return ParseError(
                range, "\(shown) has no place in a step",
                hint: "a step ends with its line")
        default: break
        }
        switch scalar.properties.generalCategory {
        case .spaceSeparator:
            return ParseError(
                range, "this space is not a plain one", hint: "use spaces or tabs between words")
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            let number = String(scalar.value, radix: 16)
            return ParseError(
                range, "a character that cannot be seen has no place here",
                hint: "in a text in quotes it is \\u{\(number)}")
        default:
            return ParseError(
                range, "\(shown) has no place here",
                hint: "names consist of letters, digits, `-` and `_`; other texts stand in quotes")
        }
    }

    // MARK: Texts

    private mutating func text() throws(ParseError) -> String {
        let start = offset
        var text = String.UnicodeScalarView()
        offset += 1
        while let scalar = current {
            switch scalar {
            case "\"":
                offset += 1
                return String(text)
            case "\\": text.append(try escape())
            case _ where scalar.properties.generalCategory == .control && scalar != "\t":
                throw strange(scalar)
            default:
                text.append(scalar)
                offset += 1
            }
        }
        throw ParseError(
            start..<offset, "the text has no end", hint: "end it with \" on the same line")
    }

    private mutating func escape() throws(ParseError) -> Unicode.Scalar {
        let start = offset
        offset += 2
        switch start + 1 < scalars.count ? scalars[start + 1] : nil {
        case "\"": return "\""
        case "\\": return "\\"
        case "n": return "\n"
        case "t": return "\t"
        case "u": return try numberedScalar(from: start)
        default:
            throw ParseError(
                start..<min(offset, scalars.count), "there is no such escape",
                hint: #"use \" \\ \n \t or \u{e9}"#)
        }
    }

    private mutating func numberedScalar(from start: Int) throws(ParseError) -> Unicode.Scalar {
        var digits = ""
        if current == "{" {
            offset += 1
            while let scalar = current, scalar.properties.isASCIIHexDigit, digits.count < 7 {
                digits.unicodeScalars.append(scalar)
                offset += 1
            }
        }
        guard current == "}", let number = UInt32(digits, radix: 16), digits.count <= 6,
            let scalar = Unicode.Scalar(number)
        else {
            throw ParseError(
                start..<min(max(offset, start + 2), scalars.count),
                "this escape names no character",
                hint: #"write its number in one to six hexadecimal digits: \u{e9}"#)
        }
        offset += 1
        return scalar
    }
}

/// A piece of a line.
struct ScenarioToken: Hashable {
    enum Kind: Hashable {
        /// A name or a word of the language.
        case word(String)
        /// A number or a date: it begins with a digit, or with a minus sign before one.
        case figure(String)
        /// A text in quotes, without them and with its escapes undone.
        case text(String)
        /// One of `+ - , : @`.
        case symbol(Unicode.Scalar)
    }

    let kind: Kind
    /// The Unicode scalars of the line that it was read from.
    let range: Range<Int>

    /// The word, if it is one.
    var word: String? {
        if case .word(let word) = kind { word } else { nil }
    }

    func isWord(_ word: String) -> Bool { self.word == word }

    func isSymbol(_ symbol: Unicode.Scalar) -> Bool { kind == .symbol(symbol) }
}

/// Names and texts as the language spells them.
enum ScenarioText {
    /// Whether a name may begin with the scalar.
    static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_"
            || (scalar.isASCII ? isLatinLetter(scalar) : scalar.properties.isAlphabetic)
    }

    /// Whether a name may go on with the scalar.
    static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        if beginsName(scalar) || isDigit(scalar) || scalar == "-" { return true }
        guard !scalar.isASCII else { return false }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark: return true
        default: return false
        }
    }

    static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isLatinLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    /// Whether the text can stand without quotes as an element of a set.
    static func isElement(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, beginsName(first),
            scalars.count <= ScenarioLimits.nameLengthMax
        else { return false }
        return scalars.allSatisfy(continuesName) && !ScenarioWords.reservedForFields.contains(text)
    }

    /// The text in quotes; whatever cannot be seen or would disturb a terminal is escaped.
    static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy {
            (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
        }
        if isPlain { return "\"\(text)\"" }
        var result = String.UnicodeScalarView()
        result.append("\"")
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result.append(contentsOf: "\\\"".unicodeScalars)
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case _ where isHidden(scalar):
                let digits = String(scalar.value, radix: 16)
                result.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        result.append("\"")
        return String(result)
    }

    /// Joiners may be seen: emoji consist of them.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200D}" && scalar != "\u{200C}"
        default: false
        }
    }
}
