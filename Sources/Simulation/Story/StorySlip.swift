/// What is wrong in a line; where it is becomes a `StoryFault` once the line is known.
struct StorySlip: Error, Hashable {
    /// The Unicode scalars of the line that are meant; empty for a place between two.
    var range: Range<Int>
    /// What is wrong, in a few words.
    var message: String
    /// What to do about it.
    var hint: String?
    /// The device that no line before has made known, if that is what is wrong.
    var unknownDevice: String?

    init(_ range: Range<Int>, _ message: String, hint: String? = nil) {
        self.range = range
        self.message = message
        self.hint = hint
    }
}
