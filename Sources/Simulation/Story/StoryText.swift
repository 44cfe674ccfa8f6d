/// Names and texts as the language spells them.
enum StoryText {
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
            scalars.count <= StoryLimits.nameLengthMax
        else { return false }
        return scalars.allSatisfy(continuesName) && !StoryWords.reservedForFields.contains(text)
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
