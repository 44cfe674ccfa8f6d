/// Text as it may stand in a page: escaped, clipped, and measured without a font.
enum DiagramText {
    /// The text for the inside of an element or an attribute in double quotes.
    ///
    /// Scalars that cannot be seen, or that would turn their neighbours around, are written out.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n": result += "&#10;"
            case "\u{200C}", "\u{200D}", openIsolate, closeIsolate:
                result.unicodeScalars.append(scalar)
            default:
                if isHidden(scalar) {
                    result += "\\u{" + String(scalar.value, radix: 16) + "}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// Text of the story in one line that leaves the direction of what stands beside it alone.
    static func isolated(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var isPlain = true
        for scalar in text.unicodeScalars {
            if !scalar.isASCII { isPlain = false }
            switch scalar {
            case "\n", "\r", "\t", "\u{2028}", "\u{2029}": result.append(" ")
            case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
                result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: result.append(scalar)
            }
        }
        guard !isPlain else { return String(result) }
        return String(openIsolate) + String(result) + String(closeIsolate)
    }

    /// At most so many characters, with an ellipsis in place of the rest.
    static func clipped(_ text: String, count: Int) -> String {
        // A character may consist of any number of scalars: those are bounded first.
        let scalarCountMax = count * 8
        var text = text
        var isClipped = false
        if let end = text.unicodeScalars.index(
            text.startIndex, offsetBy: scalarCountMax, limitedBy: text.endIndex),
            end < text.endIndex
        {
            text = String(text.unicodeScalars[..<end])
            isClipped = true
        }
        if let end = text.index(text.startIndex, offsetBy: count, limitedBy: text.endIndex),
            end < text.endIndex
        {
            text = String(text[..<end])
            isClipped = true
        }
        return isClipped ? text + "…" : text
    }

    /// As much as is narrower than `width`, with an ellipsis in place of the rest.
    static func clipped(_ text: String, width: Int, size: Int) -> String {
        guard self.width(text, size: size) > width else { return text }
        var room = width * 100 - 90 * size
        var result = ""
        for character in text {
            room -= hundredths(character) * size
            if room < 0 { break }
            result.append(character)
        }
        while result.last == " " { result.removeLast() }
        return result + "…"
    }

    /// The text in at most `lineCount` lines, broken at spaces where there are any.
    static func wrapped(_ text: String, width: Int, size: Int, lineCount: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in clipped(text, count: 1_000).split(separator: " ") {
            let longer = line.isEmpty ? String(word) : line + " " + word
            if line.isEmpty || self.width(longer, size: size) <= width {
                line = longer
            } else if lines.count + 1 < lineCount {
                lines.append(clipped(line, width: width, size: size))
                line = String(word)
            } else {
                line = longer
            }
        }
        if !line.isEmpty { lines.append(clipped(line, width: width, size: size)) }
        return lines
    }

    /// How wide a text is in the usual fonts, a little more rather than less.
    static func width(_ text: String, size: Int) -> Int {
        text.reduce(0) { $0 + hundredths($1) } * size / 100 + 1
    }

    // MARK: Parts

    private static let openIsolate: Unicode.Scalar = "\u{2068}"
    private static let closeIsolate: Unicode.Scalar = "\u{2069}"

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
        default: false
        }
    }

    /// The width of a character in hundredths of the size of the font.
    private static func hundredths(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar {
        case "i", "j", "l", "t", "f", "r", "I", ".", ",", ":", ";", "'", "|", "!", "(", ")", " ",
            "[", "]", "/", "-", "·":
            return 38
        case "m", "w", "M", "W", "@", "%", "&", "…": return 95
        case "A"..."Z", "=", "+", "<", ">", "~", "#": return 72
        case "\0"..."\u{24F}": return 60
        case "\u{1100}"..."\u{115F}", "\u{2E80}"..."\u{FFFF}", "\u{10000}"...: return 130
        default: return 75
        }
    }
}
