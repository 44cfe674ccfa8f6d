/// One statement of the story with what came of it.
struct DiagramStep {
    /// The statement; counts from 0; nil before the first and after the last.
    var statement: Int?
    /// Its words.
    var words: String
    /// The moments that came of it.
    var moments: ClosedRange<Int>
    /// Whether a promise was broken in it, or an expectation was not met.
    var isBad = false
}
