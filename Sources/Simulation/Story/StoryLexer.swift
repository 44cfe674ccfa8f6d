/// Takes a line to pieces.
///
/// It goes by Unicode scalars: a mark that follows a quote would be one character with it.
struct StoryLexer {
    private let scalars: [Unicode.Scalar]
    private var offset = 0

    private init(_ scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    /// The pieces of the line up to its comment.
    static func tokens(of scalars: [Unicode.Scalar]) throws(StorySlip) -> [StoryToken] {
        var lexer = StoryLexer(scalars)
        var tokens: [StoryToken] = []
        while let token = try lexer.next() { tokens.append(token) }
        return tokens
    }

    private var current: Unicode.Scalar? { offset < scalars.count ? scalars[offset] : nil }

    private var following: Unicode.Scalar? {
        offset + 1 < scalars.count ? scalars[offset + 1] : nil
    }

    private mutating func next() throws(StorySlip) -> StoryToken? {
        while let scalar = current, " \t\r".unicodeScalars.contains(scalar) { offset += 1 }
        guard let scalar = current, scalar != "#" else { return nil }
        let start = offset
        let kind: StoryToken.Kind
        switch scalar {
        case "\"": kind = .text(try text())
        case _ where StoryText.beginsName(scalar): kind = .word(run())
        case _ where StoryText.isDigit(scalar): kind = .figure(run())
        case "-" where following.map(StoryText.isDigit) ?? false: kind = .figure(run())
        case "+", "-", ",", ":", "@":
            offset += 1
            kind = .symbol(scalar)
        default: throw strange(scalar)
        }
        return StoryToken(kind: kind, range: start..<offset)
    }

    /// The scalars from here that a name consists of.
    private mutating func run() -> String {
        var run = String.UnicodeScalarView()
        while let scalar = current, StoryText.continuesName(scalar) {
            run.append(scalar)
            offset += 1
        }
        return String(run)
    }

    private func strange(_ scalar: Unicode.Scalar) -> StorySlip {
        let range = offset..<offset + 1
        let shown = "`\(Character(scalar))`"
        switch scalar {
        case "“", "”", "„", "«", "»", "'", "‘", "’", "`":
            return StorySlip(
                range, "\(shown) is no quote here", hint: "write texts as \"Oat milk\"")
        case "." where offset > 0 && StoryText.isDigit(scalars[offset - 1]):
            return StorySlip(
                range, "numbers are whole",
                hint: "take a smaller unit: `90 minutes`, not `1.5 hours`")
        case ".", ";", "!", "?":
            return StorySlip(
                range, "\(shown) has no place in a step",
                hint: "a step ends with its line")
        default: break
        }
        switch scalar.properties.generalCategory {
        case .spaceSeparator:
            return StorySlip(
                range, "this space is not a plain one", hint: "use spaces or tabs between words")
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            let number = String(scalar.value, radix: 16)
            return StorySlip(
                range, "a character that cannot be seen has no place here",
                hint: "in a text in quotes it is \\u{\(number)}")
        default:
            return StorySlip(
                range, "\(shown) has no place here",
                hint: "names consist of letters, digits, `-` and `_`; other texts stand in quotes")
        }
    }

    // MARK: Texts

    private mutating func text() throws(StorySlip) -> String {
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
        throw StorySlip(
            start..<offset, "the text has no end", hint: "end it with \" on the same line")
    }

    private mutating func escape() throws(StorySlip) -> Unicode.Scalar {
        let start = offset
        offset += 2
        switch start + 1 < scalars.count ? scalars[start + 1] : nil {
        case "\"": return "\""
        case "\\": return "\\"
        case "n": return "\n"
        case "t": return "\t"
        case "u": return try numberedScalar(from: start)
        default:
            throw StorySlip(
                start..<min(offset, scalars.count), "there is no such escape",
                hint: #"use \" \\ \n \t or \u{e9}"#)
        }
    }

    private mutating func numberedScalar(from start: Int) throws(StorySlip) -> Unicode.Scalar {
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
            throw StorySlip(
                start..<min(max(offset, start + 2), scalars.count),
                "this escape names no character",
                hint: #"write its number in one to six hexadecimal digits: \u{e9}"#)
        }
        offset += 1
        return scalar
    }
}
