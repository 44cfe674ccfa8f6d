/// Why a text is no story: at least one fault, in order of their lines.
package struct StoryFaults: Error, Hashable, Sendable {
    /// At most `StoryLimits.faultCountMax`.
    package var faults: [StoryFault]
    /// Whether reading stopped early because there were so many.
    package var isCutShort: Bool

    init(_ faults: [StoryFault], isCutShort: Bool) {
        self.faults = faults
        self.isCutShort = isCutShort
    }

    /// All faults, each with its line, a mark and a hint.
    package func rendered(file: String) -> String {
        var parts = faults.map { $0.rendered(file: file) }
        if isCutShort { parts.append("\(file): too many faults, the rest was not read") }
        return parts.joined(separator: "\n")
    }
}
