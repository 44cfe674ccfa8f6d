/// Reads stories.
///
/// The grammar, of which the forms stand in the tables of `StoryWords`:
///
///     story     = { line line-end }
///     line      = [ heading | step ] [ "#" anything ]
///     heading   = form of StoryWords.headings                      before the first step
///     step = [ "another program on" ] form [ ending ]
///     ending    = "but" ( "is refused" | "fails" ) [ ":" reason ]
///     claim     = form of StoryWords.claims                        after "expect" WHO
///     WHO       = "everyone" | list of names
///     SETTINGS  = { FIELD ( VALUE | { ( "+" | "-" ) element } ) }
///     VALUE     = text | number | date | "true" | "false" | "none" | "@" name | "newer" number
///     element   = name | text
///     SPAN      = number unit
///     list      = thing { ( "," | "and" ) thing }
///     name      = ( letter | "_" ) { letter | digit | "-" | "_" }  no reserved word
///     number    = [ "-" ] digit { digit }
///     date      = year "-" month "-" day                           4, 2 and 2 digits
///     text      = quote { character | "\" ( quote | "\" | "n" | "t" | "u{" digits "}" ) } quote
///
/// One pass reads line after line and knows which names the lines before have made known. A line that
/// cannot be read is passed over, and so is whatever is wrong with others on its account.
package enum StoryReader {
    /// The story that a file tells.
    ///
    /// - Throws: as `read(_:)`, and a single fault at the first byte that no text in UTF-8 has.
    package static func read(_ bytes: [UInt8]) throws(StoryFaults) -> Story {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            throw StoryFaults([binaryFault(in: bytes)], isCutShort: false)
        }
        return try read(text)
    }

    /// Where the bytes stop to be a text; a byte of zero is in none.
    private static func binaryFault(in bytes: [UInt8]) -> StoryFault {
        var decoder = UTF8()
        var rest = bytes.makeIterator()
        var (line, column, byteCount) = (1, 1, 0)
        while case .scalarValue(let scalar) = decoder.decode(&rest), scalar != "\0" {
            byteCount += UTF8.width(scalar)
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        return StoryFault(
            binaryAtLine: line, column: column, byte: bytes[min(byteCount, bytes.count - 1)])
    }

    /// The story that the text tells.
    ///
    /// - Throws: everything that is wrong with it, up to `StoryLimits.faultCountMax` faults.
    package static func read(_ text: String) throws(StoryFaults) -> Story {
        var reading = StoryReading()
        reading.read(text)
        if !reading.faults.isEmpty {
            throw StoryFaults(
                reading.faults.sorted {
                    ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
                }, isCutShort: reading.isCutShort)
        }
        return reading.story
    }
}
