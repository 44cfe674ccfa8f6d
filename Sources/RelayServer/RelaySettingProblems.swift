/// All that is wrong with the settings of a relay.
package struct RelaySettingProblems: Error, Sendable, CustomStringConvertible {
    /// One or more.
    package let problems: [RelaySettingProblem]

    /// A line for each.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
