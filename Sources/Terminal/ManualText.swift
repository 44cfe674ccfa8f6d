/// Text in the language of manual pages, man(7); ASCII alone, so that every reader shows it.
enum ManualText {
    /// A text that stands as it is, on a line or in one.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case " "..."~": result.unicodeScalars.append(scalar)
            default: result += "\\[u\(hexadecimal(scalar.value))]"
            }
        }
        // A dot at the beginning of a line would be a command.
        return result.hasPrefix(".") ? "\\&" + result : result
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// The most bytes of a line of prose.
    private static let lineByteCountMax = 76

    /// Prose in lines; what stands between backquotes is bold.
    static func prose(_ text: String) -> [String] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        let marked =
            parts.count % 2 == 1
            ? parts.enumerated().map { place, part in
                place % 2 == 1 ? "\\fB\(escaped(part))\\fP" : escaped(part)
            }.joined() : escaped(text)
        var lines: [String] = []
        for word in marked.split(separator: " ") {
            // A dot at the beginning of a line would be a command.
            let word = word.hasPrefix(".") ? "\\&" + word : String(word)
            if let last = lines.last, last.utf8.count + 1 + word.utf8.count <= lineByteCountMax {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    /// Words of a command line: those in capitals are placeholders, the rest is typed as it stands.
    static func call(_ text: String) -> String {
        let call = text.split(separator: " ").map { word in
            let letters = word.filter(\.isLetter)
            if letters.isEmpty { return escaped(word) }
            guard letters.allSatisfy(\.isUppercase) else { return "\\fB\(escaped(word))\\fP" }
            // Brackets and dots around a word are not part of it.
            let front = word.prefix { !$0.isLetter }
            let back = word.reversed().prefix { !$0.isLetter }.count
            let middle = word.dropFirst(front.count).dropLast(back)
            return escaped(front).replacing("\\&", with: "") + "\\fI\(escaped(middle))\\fP"
                + escaped(word.suffix(back)).replacing("\\&", with: "")
        }.joined(separator: " ")
        return call.hasPrefix(".") ? "\\&" + call : call
    }
}
