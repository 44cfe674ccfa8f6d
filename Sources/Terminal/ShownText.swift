extension String {
    /// The text for a screen: what other devices sent must not steer the terminal.
    ///
    /// Control characters but the line break are replaced by marks.
    package var shown: String {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && $0 < 0x80 }) { return self }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x0a: result += "\n"
            case 0x09: result += " "
            case 0..<0x20, 0x7f..<0xa0, 0x202a...0x202e, 0x2066...0x2069: result += "\u{fffd}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text in one line.
    package var shownInLine: String {
        let text = shown
        return text.utf8.contains(0x0a) ? text.replacing("\n", with: " ") : text
    }
}
