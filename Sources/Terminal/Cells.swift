/// How much room text takes on a screen.
///
/// Near enough: terminals differ on joined emoji. Here one picture takes two cells, as Unicode has it (UAX #11);
/// everything else takes what its scalars take, as it does by wcwidth(3).
package enum Cells {
    /// How many cells a text takes.
    package static func count(_ text: String) -> Int {
        // Most texts are of ASCII, and a listing counts each of its cells several times.
        let isASCII = text.utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) < 0x80 }
        if isASCII == true { return text.utf8.count }
        return text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.count == 1 { return width(first) }
        let isFlag = isRegional(first) && scalars.allSatisfy { isRegional($0) }
        // A picture: shown as one by the sign for that, joined, of another skin, or two letters of a flag.
        let isPicture = scalars.dropFirst().contains { scalar in
            switch scalar.value {
            case 0xfe0f, 0x200d, 0x20e3: first.properties.isEmoji
            case 0x1f3fb...0x1f3ff, 0xe0020...0xe007f: true
            default: false
            }
        }
        if isFlag || isPicture { return 2 }
        return scalars.reduce(0) { $0 + width($1) }
    }

    private static func isRegional(_ scalar: Unicode.Scalar) -> Bool {
        (0x1f1e6...0x1f1ff).contains(scalar.value)
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        // Vowels and final consonants that join the Hangul letter before.
        case 0x1160...0x11ff, 0xd7b0...0xd7ff: return 0
        case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0x4dbf, 0x4e00...0xa4cf,
            0xa960...0xa97c, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f,
            0xff00...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18dff, 0x1b000...0x1b2ff,
            0x1f200...0x1f265, 0x20000...0x3fffd:
            return 2
        default: return scalar.properties.isEmojiPresentation && !isRegional(scalar) ? 2 : 1
        }
    }

    /// The beginning of a text that fits, with a mark where the rest is cut off.
    package static func cut(_ text: String, to cells: Int) -> String {
        if count(text) <= cells { return text }
        if cells < 1 { return "" }
        var result = ""
        var used = 0
        for character in text {
            let own = width(character)
            if used + own > cells - 1 { break }
            result.append(character)
            used += own
        }
        while result.last == " " { result.removeLast() }
        return result + "…"
    }

    /// The text and spaces up to a width.
    package static func padded(_ text: String, to cells: Int) -> String {
        text + String(repeating: " ", count: max(cells - count(text), 0))
    }

    /// The text behind spaces up to a width.
    package static func right(_ text: String, to cells: Int) -> String {
        String(repeating: " ", count: max(cells - count(text), 0)) + text
    }

    /// The fewest cells that lines are broken to.
    private static let wrapWidthMin = 8

    /// A text of one line in lines that fit, broken at spaces and between wide characters, and within words
    /// only where one is longer than a line.
    ///
    /// - Parameters:
    ///   - first: the cells of the first line.
    ///   - rest: the cells of the others.
    package static func wrapped(_ text: String, first: Int, rest: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var lineWidth = 0
        // The characters since the last break, with the spaces before them.
        var word = ""
        var wordWidth = 0
        var room: Int { max(lines.isEmpty ? first : rest, wrapWidthMin) }
        func flush() {
            if lineWidth + wordWidth > room, lineWidth > 0 {
                lines.append(line)
                line = ""
                lineWidth = 0
                while word.first == " " {
                    word.removeFirst()
                    wordWidth -= 1
                }
            }
            line += word
            lineWidth += wordWidth
            word = ""
            wordWidth = 0
        }
        for character in text {
            let own = width(character)
            let isWide = own == 2
            if character == " ", word.last != " " || isWide { flush() }
            if isWide { flush() }
            if wordWidth + own > room {
                // Longer than a line of its own.
                flush()
                lines.append(line)
                line = ""
                lineWidth = 0
            }
            word.append(character)
            wordWidth += own
            if isWide { flush() }
        }
        flush()
        if lineWidth > 0 || lines.isEmpty { lines.append(line) }
        return lines
    }
}
