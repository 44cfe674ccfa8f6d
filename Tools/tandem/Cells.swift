/// How much room text takes on a screen.
enum Cells {
    /// How many cells a text takes, near enough: wide scripts and emoji take two each.
    static func count(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + width($1) }
    }

    private static func width(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        // A sign in the form of an emoji, flags, and what is joined to one picture.
        if scalars.contains(where: { $0.value == 0xfe0f }) { return 2 }
        if first.properties.isEmojiPresentation { return 2 }
        switch first.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c,
            0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
            0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
            return 2
        case 0x0300...0x036f, 0x200b...0x200f, 0x2060: return 0
        default: return 1
        }
    }

    /// The beginning of a text that fits, with a mark where the rest is cut off.
    static func cut(_ text: String, to cells: Int) -> String {
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
        return result + "…"
    }

    /// The text and spaces up to a width.
    static func padded(_ text: String, to cells: Int) -> String {
        text + String(repeating: " ", count: max(cells - count(text), 0))
    }

    /// The text behind spaces up to a width.
    static func right(_ text: String, to cells: Int) -> String {
        String(repeating: " ", count: max(cells - count(text), 0)) + text
    }
}
