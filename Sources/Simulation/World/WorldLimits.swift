/// How long a world goes on before it is called stuck.
package enum WorldLimits {
    /// The most events that one step may bring about.
    package static let eventsPerStepMax = 50_000
    /// The longest time that a session which is waited for may take; milliseconds of the world.
    package static let sessionMillisecondsMax: Int64 = 30 * 60_000
    /// The most rounds of meetings, everyone with everyone, until nothing is left to say.
    package static let healingRoundsMax = 14
    /// Over a longer wait machines sleep: open links break; milliseconds.
    package static let wakefulMillisecondsMax: Int64 = 3_600_000
    /// The most devices of a world, copies included.
    package static let deviceCountMax = 64
}
