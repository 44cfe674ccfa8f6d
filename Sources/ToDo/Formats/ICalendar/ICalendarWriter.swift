/// Writes content lines, folded, with CRLF at their ends.
struct ICalendarWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends a content line.
    ///
    /// Longer ones are folded at 75 bytes, never inside of a character.
    mutating func append(_ line: String) {
        var width = 0
        for scalar in line.unicodeScalars {
            let count = UTF8.width(scalar)
            if width + count > ICalendarLimits.foldByteCount {
                bytes.append(contentsOf: "\r\n ".utf8)
                // The space that marks the fold counts.
                width = 1
            }
            bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            width += count
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// Appends a component.
    mutating func append(_ component: ICalendarComponent) {
        for line in component.lines { append(line) }
    }
}
