/// Reads stories.
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
