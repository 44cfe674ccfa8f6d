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
