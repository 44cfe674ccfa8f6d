/// What a format cannot carry of one to-do, or what we do not keep of one entry.
package struct FormatLoss: Hashable, Sendable {
    /// Which entry or item of the file, from 1; 0 for what is lost of all of them.
    package var entry: Int
    /// Its title, for the user to find it by; "" if it has none.
    package var title: String
    /// The field, by the name that it has where it is lost.
    package var field: String
    /// What becomes of it, as half a sentence: `the time of day is left out`.
    package var reason: String

    /// One field of one entry.
    package init(entry: Int, title: String, field: String, reason: String) {
        self.entry = entry
        self.title = title
        self.field = field
        self.reason = reason
    }

    /// The most scalars of a file's own text that are quoted in a line; a character may have any number.
    private static let quotedScalarCountMax = 60

    /// As much of a text as a line quotes.
    package static func beginning(of text: String) -> String {
        let scalars = text.unicodeScalars
        let end = scalars.index(
            scalars.startIndex, offsetBy: quotedScalarCountMax, limitedBy: scalars.endIndex)
        guard let end, end < scalars.endIndex else { return text }
        return String(scalars[..<end]) + "…"
    }
}
