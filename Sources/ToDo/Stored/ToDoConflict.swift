import Core

/// Something on which two devices disagree, for a person to decide.
package struct ToDoConflict: Hashable, Sendable {
    /// One of the values.
    package struct Candidate: Hashable, Sendable {
        /// The value.
        package let value: Value
        /// The name of the device that gave it; of who put it back, if that is all that is known.
        package let device: String
        /// Whether that is this device.
        package let isMine: Bool
        /// When it was given, by that device's clock; milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// Who put it back by undoing a decision or restoring the to-do; nil where it is as it was given.
        package var putBack: PutBack?
    }

    /// How a value came back into a conflict.
    package struct PutBack: Hashable, Sendable {
        /// The name of the device that wrote it again.
        package let device: String
        /// Whether that is this device.
        package let isMine: Bool
        /// When, by that device's clock; milliseconds since 1970-01-01 UTC.
        package let time: Int64
        /// Whether the journal here tells who gave it first, and when.
        package let isOriginKnown: Bool
    }

    /// What it is about.
    package enum Kind: Hashable, Sendable {
        /// A field has several values; the one that is shown comes first.
        case field(Field, [Candidate])
        /// The to-do was deleted while another device edited or restored it.
        case wasDeleted
    }

    /// The to-do.
    package let id: RecordID
    /// Its title, as shown.
    package let title: String
    /// Whether it is in the trash now.
    package let isDeleted: Bool
    /// What it is about.
    package let kind: Kind
    /// What the field showed before the devices went apart; `.null` if nothing, nil if that is not known
    /// here.
    package var base: Value?
}
