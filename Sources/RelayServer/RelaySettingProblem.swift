/// What is wrong with a setting: where it was made, what, and what to do.
package struct RelaySettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// File and line, variable, or option.
    package let place: String
    /// What is wrong.
    package let what: String
    /// What to do.
    package let advice: String

    /// A problem.
    package init(_ place: String, _ what: String, advice: String) {
        self.place = place
        self.what = what
        self.advice = advice
    }

    /// In a line.
    package var description: String { "\(place): \(what); \(advice)" }
}
