@_spi(_Unicode) import Swift

extension String {
    /// The same text in Unicode's form C (NFC).
    package var inFormC: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        var result = ""
        result.unicodeScalars.append(contentsOf: _nfc)
        return result
    }

    /// The text as searches compare it: without regard to the case of letters, to accents, and to how both are
    /// composed.
    ///
    /// An accent is a mark of Unicode's block of combining diacritical marks. A text of such marks alone keeps them.
    package var foldedForSearch: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        let lowered = lowercased()
        var folded = ""
        folded.reserveCapacity(utf8.count)
        for scalar in lowered._nfd where !(0x300...0x36f).contains(scalar.value) {
            // A sigma at the end of a word is the same letter.
            folded.unicodeScalars.append(scalar == "\u{3c2}" ? "\u{3c3}" : scalar)
        }
        return (folded.isEmpty ? lowered : folded).inFormC
    }
}
