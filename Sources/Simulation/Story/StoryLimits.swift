/// How much a story may hold, so that reading any text ends soon.
package enum StoryLimits {
    /// The bytes of a text.
    package static let textByteCountMax = 16 << 20
    /// The Unicode scalars of a line.
    package static let lineLengthMax = 10_000
    /// The steps of a story.
    package static let stepCountMax = 100_000
    /// The devices of a story, copies included.
    package static let deviceCountMax = 64
    /// The Unicode scalars of a name.
    package static let nameLengthMax = 100
    /// The things in one list: settings, values, elements, devices.
    package static let listCountMax = 1_000
    /// The longest wait, delay and jump of a clock: 100 years of 365 days, in milliseconds.
    package static let spanMax: Int64 = 100 * 365 * 86_400_000
    /// The fastest drift of a clock, forward or backward, in parts per million.
    package static let driftMax: Int64 = 500_000
    /// The largest count of conflicts, items, changes, identities and disk writes.
    package static let countMax: Int64 = 1_000_000_000
    /// The largest number of bytes on a disk or a link: a tebibyte.
    package static let byteCountMax: Int64 = 1 << 40
    /// The faults that are reported of one text.
    package static let faultCountMax = 20
    /// The characters of a line that are shown with a fault.
    package static let excerptLengthMax = 100
}
