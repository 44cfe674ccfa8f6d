/// The one place where text of others (a peer, a store, a file, the environment) becomes text that is shown.
///
/// A terminal obeys control characters, and a reader is deceived by marks that cannot be seen: each such scalar
/// becomes a visible escape, as `\u{1b}`. Letters of all scripts, their combining marks and pictures stay.
package enum VisibleText {
    /// Makes every scalar that steers or hides visible.
    ///
    /// The result of a second call is that of the first.
    /// - Parameter keepsLineBreaks: whether line feeds stay; else each is a space.
    package static func escaped(_ text: String, keepsLineBreaks: Bool = false) -> String {
        // Every text that is shown comes here, and most have nothing to make visible.
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 &- 0x20 < 0x5f || $0 == 0x0a && keepsLineBreaks }
        }
        if isPlain == true { return text }
        let scalars = Array(text.unicodeScalars)
        var result = ""
        var flagEnd = 0
        for (index, scalar) in scalars.enumerated() {
            if scalar == waving { flagEnd = endOfFlag(scalars, from: index + 1) }
            switch scalar.value {
            case 0x0a: result += keepsLineBreaks ? "\n" : " "
            case 0x09: result += " "
            case 0xe0020...0xe007f where index < flagEnd: result.unicodeScalars.append(scalar)
            case 0x200c, 0x200d:
                if joins(scalars, index) {
                    result.unicodeScalars.append(scalar)
                } else {
                    result += escape(scalar)
                }
            default:
                if isHidden(scalar) || isSelector(scalar) && !selects(scalars, index) {
                    result += escape(scalar)
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// A scalar as a visible escape.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16))}"
    }

    /// Whether a scalar steers a screen or cannot be seen; joiners and tags count, as they do so where nothing needs
    /// them, and selectors do not.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x7f { return scalar.value < 0x20 }
        if isSelector(scalar) { return false }
        switch scalar.value {
        // Signs above numbers in Arabic, Syriac and Kaithi, which are format characters and visible.
        case 0x0600...0x0605, 0x06dd, 0x070f, 0x0890, 0x0891, 0x08e2, 0x110bd, 0x110cd:
            return false
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    // MARK: Selectors

    /// Whether a scalar cannot be seen by itself, but chooses the form of its neighbour.
    private static func isSelector(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xfe00...0xfe0f, 0xe0100...0xe01ef, 0x180b...0x180d, 0x180f, 0x034f, 0x115f, 0x1160:
            return true
        default: return false
        }
    }

    /// Whether a selector stands beside what it can change; else two texts look the same that are not.
    private static func selects(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        let before = index > 0 ? scalars[index - 1] : nil
        let after = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalars[index].value {
        // The mark that keeps combining marks apart.
        case 0x034f: return isMark(before) && isMark(after)
        // A consonant and a vowel that stand for none in Hangul.
        case 0x115f: return after.map { (0x1160...0x11a7).contains($0.value) } ?? false
        case 0x1160: return before.map { (0x1100...0x115f).contains($0.value) } ?? false
        // Forms of Mongolian letters, and of ideographs.
        case 0x180b...0x180f: return before.map { (0x1820...0x18aa).contains($0.value) } ?? false
        case 0xe0100...0xe01ef: return before?.properties.isIdeographic ?? false
        // A picture as a sign or in colour; a digit in a key has the key behind it.
        case 0xfe0e, 0xfe0f:
            guard let before, before.properties.isEmoji else { return false }
            return before.value > 0x7f || after?.value == 0x20e3
        // Forms of signs and of letters of scripts that have such forms.
        default:
            switch before?.value ?? 0 {
            case 0x1000...0x109f, 0x2000...0x2bff, 0x3000...0x9fff, 0xa840...0xa877,
                0xf900...0xfaff, 0xff00...0xffef, 0x10ac0...0x10aff, 0x13000...0x143ff,
                0x20000...0x3ffff:
                return true
            default: return false
            }
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar?) -> Bool {
        guard let properties = scalar?.properties else { return false }
        return properties.generalCategory == .nonspacingMark
            && !properties.isDefaultIgnorableCodePoint
    }

    // MARK: Joiners

    /// Whether a joiner or non-joiner stands where pictures or a script need it: between two pictures, or after a
    /// letter of a script whose letters join.
    private static func joins(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        guard index > 0 else { return false }
        if needsJoiners(scalars[index - 1]) { return true }
        guard scalars[index].value == 0x200d, index + 1 < scalars.count,
            isPicture(scalars[index + 1])
        else { return false }
        // Between a picture and its joiner: the sign for its coloured form, its skin.
        var before = index - 1
        while before > 0,
            scalars[before].value == 0xfe0f || (0x1f3fb...0x1f3ff).contains(scalars[before].value)
        {
            before -= 1
        }
        return isPicture(scalars[before])
    }

    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x7f && scalar.properties.isEmoji
    }

    /// Letters and marks of scripts in which a joiner or non-joiner chooses the form of a letter: Arabic and its
    /// relatives, Mongolian, and those of India and South-East Asia.
    private static func needsJoiners(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0600...0x08ff, 0x0900...0x0dff, 0x0f00...0x109f, 0x1700...0x18af, 0x1900...0x1cff,
            0xa800...0xa8ff, 0xa980...0xa9ff, 0xaa00...0xaaff, 0xabc0...0xabff, 0xfb50...0xfdff,
            0xfe70...0xfefe, 0x10ac0...0x10aff, 0x11000...0x11fff, 0x1e900...0x1e95f:
            switch scalar.properties.generalCategory {
            case .otherLetter, .uppercaseLetter, .lowercaseLetter, .modifierLetter,
                .nonspacingMark, .spacingMark:
                return true
            default: return false
            }
        default: return false
        }
    }

    // MARK: Flags

    /// The picture that begins a flag of a part of a country.
    private static let waving = Unicode.Scalar(0x1f3f4 as UInt32)
    /// The most letters of a region's code in a flag.
    private static let flagLetterCountMax = 6

    /// The end of the tags that make a flag of the picture before them; `start` if they make none.
    private static func endOfFlag(_ scalars: [Unicode.Scalar], from start: Int) -> Int {
        var end = start
        while end < scalars.count, end - start < flagLetterCountMax,
            (0xe0030...0xe007a).contains(scalars[end].value)
        {
            end += 1
        }
        guard end > start, end < scalars.count, scalars[end].value == 0xe007f else { return start }
        return end + 1
    }
}
